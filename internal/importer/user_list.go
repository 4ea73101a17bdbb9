package importer

import (
	"encoding/csv"
	"net/mail"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labelwright/labelwright/internal/account"
	"github.com/labelwright/labelwright/internal/plaintext"
)

// MaxUsers is the number of users in one list.
const MaxUsers = 500

// ReadUsers reads a list of users: pasted lines, or CSV with a header of the columns email,
// name and role. A line without a header is an address, “Name <address>”, or address, name and
// role with a comma, semicolon or tab between them. Without a name, a user is named after the
// address; without a role, the user gets the default one. The error is FileErrors.
func ReadUsers(fileName, text string, defaultRole account.Role, roles []account.Role) ([]account.NewAccount, error) {
	l := userList{errs: &errorList{file: fileName}, defaultRole: defaultRole, roles: roles, lines: map[string]int{}}
	if !utf8.ValidString(text) || !plaintext.CanStore(text) {
		l.errs.add(0, "", "The list contains characters that cannot be stored. Save it as UTF-8.")
		return nil, l.errs.err()
	}
	lineNo := 0
	for line := range strings.Lines(strings.TrimPrefix(text, byteOrderMark)) {
		lineNo++
		if line = strings.TrimSpace(line); line != "" {
			l.addLine(lineNo, line)
		}
	}
	if len(l.users) == 0 && l.errs.count() == 0 {
		l.errs.add(0, "", "The list is empty. Enter one address per line.")
	}
	if len(l.users) > MaxUsers {
		l.errs.addFirst(0, messagef("The list has more than %s users. Split it.", formatCount(MaxUsers)))
	}
	return l.users, l.errs.err()
}

// A userList is a list that is being read.
type userList struct {
	errs        *errorList
	defaultRole account.Role
	roles       []account.Role // that users can have
	columns     []string       // of the header; nil: none, or not read yet
	lines       map[string]int // of the addresses, in lower case
	users       []account.NewAccount
}

func (l *userList) addLine(lineNo int, line string) {
	cells, err := splitUserLine(line)
	if err != nil {
		l.errs.add(lineNo, "", "The quotation marks do not match. Write one user per line.")
		return
	}
	if len(l.lines) == 0 && l.columns == nil && slices.ContainsFunc(cells, func(cell string) bool {
		return strings.EqualFold(cell, "email")
	}) {
		l.readHeader(lineNo, cells)
		return
	}
	user, ok := l.userFromCells(lineNo, cells)
	if !ok {
		return
	}
	before := l.errs.count()
	l.check(lineNo, &user)
	if folded := strings.ToLower(user.Email); l.errs.count() == before {
		if first, seen := l.lines[folded]; seen {
			l.errs.add(lineNo, "email", "“%s” is in line %d already. Remove one of them.", user.Email, first)
		}
		l.lines[folded] = lineNo
		l.users = append(l.users, user)
	}
}

// splitUserLine returns the cells of a line, without surrounding spaces.
func splitUserLine(line string) ([]string, error) {
	r := csv.NewReader(strings.NewReader(line))
	for _, separator := range "\t;" {
		if strings.ContainsRune(line, separator) {
			r.Comma = separator
			break
		}
	}
	r.TrimLeadingSpace = true
	cells, err := r.Read()
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, err
}

func (l *userList) readHeader(lineNo int, cells []string) {
	for _, name := range cells {
		name = strings.ToLower(name)
		if !slices.Contains([]string{"email", "name", "role"}, name) {
			l.errs.add(lineNo, name, "This column is not known. Use email, name and role.")
		} else if slices.Contains(l.columns, name) {
			l.errs.add(lineNo, name, "This column is there twice. Remove one of them.")
		}
		l.columns = append(l.columns, name)
	}
}

// userFromCells returns the user of a line, which may lack a name and a role.
func (l *userList) userFromCells(lineNo int, cells []string) (user account.NewAccount, ok bool) {
	columns := l.columns
	if columns == nil {
		columns = []string{"email", "name", "role"}
		if len(cells) == 2 && slices.Contains(l.roles, account.Role(strings.ToLower(cells[1]))) {
			columns = []string{"email", "role"}
		}
	}
	if len(cells) > len(columns) {
		l.errs.add(lineNo, "", "The line has %d values. Write address, name and role, with a comma between them.",
			len(cells))
		return user, false
	}
	for i, cell := range cells {
		switch columns[i] {
		case "email":
			user.Email = cell
		case "name":
			user.Name = cell
		case "role":
			user.Role = account.Role(strings.ToLower(cell))
		}
	}
	// Name <address>
	if address, err := mail.ParseAddress(user.Email); err == nil && strings.HasSuffix(user.Email, ">") {
		user.Email = address.Address
		if user.Name == "" {
			user.Name = address.Name
		}
	}
	if user.Name == "" {
		user.Name = nameFromAddress(user.Email)
	}
	if user.Role == "" {
		user.Role = l.defaultRole
	}
	return user, true
}

// check reports what is wrong with a user, each value by itself.
func (l *userList) check(lineNo int, user *account.NewAccount) {
	if !slices.Contains(l.roles, user.Role) {
		var names []string
		for _, role := range l.roles {
			names = append(names, string(role))
		}
		l.errs.add(lineNo, "role", "“%s” is not a role. Use %s.", plaintext.Shorten(string(user.Role)),
			strings.Join(names, ", "))
	}
	if _, err := (account.NewAccount{Name: "x", Email: user.Email, Role: account.Annotator}).Check(); err != nil {
		l.errs.add(lineNo, "email", "%s", err)
	} else if _, err := (account.NewAccount{Name: user.Name, Email: user.Email,
		Role: account.Annotator}).Check(); err != nil {
		l.errs.add(lineNo, "name", "%s", err)
	}
}

// nameFromAddress returns “Ada Lovelace” for ada.lovelace@example.org.
func nameFromAddress(address string) string {
	local, _, _ := strings.Cut(address, "@")
	words := strings.FieldsFunc(local, func(r rune) bool { return strings.ContainsRune("._-+", r) })
	for i, word := range words {
		first, size := utf8.DecodeRuneInString(word)
		words[i] = strings.ToUpper(string(first)) + word[size:]
	}
	return strings.Join(words, " ")
}
