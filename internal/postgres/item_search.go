package postgres

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/labelwright/labelwright/internal/project"
)

// projectToken is the token of all items of a project. It restricts the index to them.
func projectToken(id project.ID) string { return "project:" + strconv.FormatInt(int64(id), 10) }

func toSearchVector(tokens []string) pgtype.TSVector {
	vector := pgtype.TSVector{Lexemes: make([]pgtype.TSVectorLexeme, len(tokens)), Valid: true}
	for i, token := range tokens {
		vector.Lexemes[i].Word = token
	}
	return vector
}

// searchQuery returns the tsquery of the items of a project that match all groups; a group
// matches with any of its terms.
func searchQuery(projectID project.ID, groups [][]project.SearchTerm) string {
	query := quoteLexeme(projectToken(projectID))
	for _, group := range groups {
		alternatives := make([]string, len(group))
		for i, term := range group {
			alternatives[i] = quoteLexeme(term.Token)
			if term.IsPrefix {
				alternatives[i] += ":*"
			}
		}
		query += " & (" + strings.Join(alternatives, " | ") + ")"
	}
	return query
}

func quoteLexeme(token string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(token) + "'"
}

// A searchDictionary collects the words and conditions of imported items, each once. All
// imports store them in the same order, at their end, so that none waits for another one
// that waits for it.
type searchDictionary struct {
	projectID  project.ID
	terms      map[string]bool
	conditions map[string]map[string]bool // values by column
}

// maxConditionValues is the number of values up to which a metadata column can be chosen
// as a condition.
const maxConditionValues = 50

// maxCollectedTerms bounds the memory of an import.
const maxCollectedTerms = 500_000

func newSearchDictionary(projectID project.ID) *searchDictionary {
	return &searchDictionary{projectID: projectID, terms: map[string]bool{}, conditions: map[string]map[string]bool{}}
}

// add collects the tokens and conditions of an item.
func (d *searchDictionary) add(tokens []string, metaTexts map[string]string) {
	for _, token := range tokens {
		if !d.terms[token] && len(d.terms) < maxCollectedTerms && project.HasTrigrams(token) {
			d.terms[token] = true
		}
	}
	for name, value := range metaTexts {
		if d.conditions[name] == nil {
			d.conditions[name] = map[string]bool{}
		}
		if len(d.conditions[name]) < maxConditionValues && project.IsCondition(value) {
			d.conditions[name][value] = true
		}
	}
}

// store stores what the project does not have yet.
func (d *searchDictionary) store(ctx context.Context, tx pgx.Tx) error {
	terms := slices.Sorted(maps.Keys(d.terms))
	for chunk := range slices.Chunk(terms, 10_000) {
		trigrams := make([]string, len(chunk))
		for i, term := range chunk {
			trigrams[i] = strings.Join(project.Trigrams(term), " ")
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO search_terms (project_id, term, trigrams)
			SELECT $1, t.term, string_to_array(t.trigrams, ' ') FROM unnest($2::text[], $3::text[]) AS t (term,
			trigrams)
			ON CONFLICT DO NOTHING`, d.projectID, chunk, trigrams)
		if err != nil {
			return err
		}
	}
	var names, values []string
	for _, name := range slices.Sorted(maps.Keys(d.conditions)) {
		for _, value := range slices.Sorted(maps.Keys(d.conditions[name])) {
			names, values = append(names, name), append(values, value)
		}
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO item_conditions (project_id, name, condition)
		SELECT $1, c.name, c.condition FROM unnest($2::text[], $3::text[]) AS c (name, condition)
		ON CONFLICT DO NOTHING`, d.projectID, names, values)
	return err
}

// maxWordsWithPart is the number of words that a part of a word can match.
const maxWordsWithPart = 100

// expandTerms returns for each term the words of a project that contain it. A term that is
// in no word stays as it is.
func expandTerms(ctx context.Context, q querier, projectID project.ID, terms []project.SearchTerm) (
	[][]project.SearchTerm, error) {
	groups := make([][]project.SearchTerm, len(terms))
	for i, term := range terms {
		groups[i] = []project.SearchTerm{term}
		trigrams := project.Trigrams(term.Token)
		if trigrams == nil {
			continue
		}
		words, err := collectColumn[string](q.Query(ctx, `
			SELECT term FROM search_terms
			WHERE project_id = $1 AND trigrams @> $2 AND position($3 IN term) > 0
			ORDER BY char_length(term), term
			LIMIT $4`, projectID, trigrams, term.Token, maxWordsWithPart))
		if err != nil {
			return nil, err
		}
		for _, word := range words {
			groups[i] = append(groups[i], project.SearchTerm{Token: word})
		}
	}
	return groups, nil
}

// A Condition is a metadata column and one of its values.
type Condition struct{ Name, Value string }

// Conditions returns the conditions by which the items of a project can be filtered, by
// column.
func (db *DB) Conditions(ctx context.Context, projectID project.ID) (map[string][]string, error) {
	rows, err := collectAll[Condition](db.pool.Query(ctx, `
		SELECT name, condition AS value FROM item_conditions WHERE project_id = $1 ORDER BY name, condition
		LIMIT 2000`, projectID))
	columns := map[string][]string{}
	for _, row := range rows {
		columns[row.Name] = append(columns[row.Name], row.Value)
	}
	maps.DeleteFunc(columns, func(_ string, values []string) bool { return len(values) >= maxConditionValues })
	return columns, err
}
