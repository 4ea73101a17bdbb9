package ratereffect

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/labelwright/labelwright/internal/stats"
)

const (
	// minSharedItems is the number of labels of items with labels of others that a comparison needs.
	minSharedItems = 10
	// spreadOfSkill is the standard deviation between careful annotators of the share of items whose answers look
	// random.
	spreadOfSkill = 0.02
	// maxCompared is the number of labels of an annotator that are compared: more would show no smaller share.
	maxCompared = 1000
	// maxOthers is the number of other labels of an item from which an answer is predicted.
	maxOthers = 5
	// maxRandomness bounds what one item can show.
	maxRandomness = 1000
	// maxShare is the largest share of random answers with which an annotator's answers predict those of others.
	maxShare = 0.9
	// modelRounds is how often the model is fitted, each time without the answers that look random to the one before.
	modelRounds = 5
	// tiltRounds is the number of Newton steps by which predictions are fitted to the level of an annotator.
	tiltRounds = 3
)

// A prediction is how probable the answers of an annotator to a field are next to certain answers of others.
type prediction struct {
	usual, counts []float64   // with the usual skill, and how often they are given
	logs          [][]float64 // skill → point → logarithm of how many times as likely it is not at random
	scores        [][]float64 // skill → point → normal quantile of the middle of its probability
}

// predictions are those of one annotator and field, by the others' answers.
type predictions map[answerKey]*prediction

// predict returns the predictions of an annotator's answers to a field, tilted so that their mean is that of the
// answers without random ones: a different standard is not careless.
func (s *labelSet) predict(m answerModel, field, annotator int, random []float64) predictions {
	p := predictions{}
	add := func(key answerKey) {
		if p[key] == nil {
			p[key] = &prediction{usual: m.predict(key.answers(), m.usual), counts: make([]float64, len(m.limits)+1)}
		}
	}
	for _, l := range s.compared(annotator) {
		if others, ok := s.comparable(field, l); ok {
			key := s.keyOf(field, others, -1)
			add(key)
			p[key].counts[s.Points[field][l]] += 1 - random[l]
			for i := range others {
				add(s.keyOf(field, others, i))
			}
		}
	}
	inOrder := slices.SortedFunc(maps.Keys(p), func(a, b answerKey) int { return bytes.Compare(a[:], b[:]) })
	tilt := 0.0
	for range tiltRounds {
		excess, variance := 0.0, epsilon
		for _, key := range inOrder { // so that rounding is always the same
			cell := p[key]
			given, n, predicted, squared, total := 0.0, 0.0, 0.0, 0.0, 0.0
			for x, w := range cell.usual {
				v := float64(x)
				w *= math.Exp(tilt * v)
				given, n = given+v*cell.counts[x], n+cell.counts[x]
				predicted, squared, total = predicted+v*w, squared+v*v*w, total+w
			}
			predicted /= total
			excess, variance = excess+given-n*predicted, variance+n*(squared/total-predicted*predicted)
		}
		tilt = max(-2, min(2, tilt+excess/variance))
	}
	for key, cell := range p {
		for _, own := range m.bySkill {
			weights, total := m.predict(key.answers(), own), 0.0
			for x := range weights {
				weights[x] *= math.Exp(tilt * float64(x))
				total += weights[x]
			}
			scores, below := make([]float64, len(weights)), 0.0
			for x, w := range weights {
				scores[x] = stats.NormalQuantile((below + w/2) / total)
				below, weights[x] = below+w, math.Log(float64(len(weights))*w/total)
			}
			cell.logs, cell.scores = append(cell.logs, weights), append(cell.scores, scores)
		}
	}
	return p
}

// An answerKey is the answers of others to a field, in an order, and then NoPoint.
type answerKey [maxOthers]uint8

func (k *answerKey) answers() []uint8 {
	if n := slices.Index(k[:], NoPoint); n >= 0 {
		return k[:n]
	}
	return k[:]
}

// compared returns the labels of an annotator that are compared, over all of the work.
func (s *labelSet) compared(annotator int) []int32 {
	all := s.byAnnotator[annotator]
	if len(all) <= maxCompared {
		return all
	}
	list := make([]int32, maxCompared)
	for i := range list {
		list[i] = all[i*len(all)/maxCompared]
	}
	return list
}

// comparable returns the other labels of an item that a label is compared with; false if it has no answer to the field,
// or none of them has.
func (s *labelSet) comparable(field int, label int32) (others []int32, ok bool) {
	points := s.Points[field]
	if points[label] == NoPoint || s.variances[field] == 0 {
		return nil, false
	}
	s.others(label, func(other int32) {
		if len(others) < maxOthers {
			others = append(others, other)
			ok = ok || points[other] != NoPoint
		}
	})
	return others, ok
}

// keyOf returns the answers of other labels to a field, but for one of them; −1: none.
func (s *labelSet) keyOf(field int, others []int32, leftOut int) (key answerKey) {
	n := 0
	for i, other := range others {
		if y := s.Points[field][other]; y != NoPoint && i != leftOut {
			key[n] = y
			n++
		}
	}
	slices.Sort(key[:n])
	for i := n; i < maxOthers; i++ {
		key[i] = NoPoint
	}
	return key
}

// allSkills are the standard deviations of errors, next to the usual one, that annotators may have.
var allSkills = [...]float64{1.6, 1.4, 1.25, 1.1, 1, 0.9, 0.8}

// usualSkill is the index of the skill of most annotators.
const usualSkill = 4

// randomness returns, for each skill and label of an annotator, how many times as likely its answers are if all points
// of the scales are as likely, as they are next to the others' answers; NaN without others. An other's answers
// may be random, too: shares are those of annotators. Answers to the fields of a label err together, by a
// correlation; shared is what the answers show of it.
func (s *labelSet) randomness(models []answerModel, annotator int, random, shares, skills []float64,
	correlation float64) (ratios [][]float64, shared commonError) {
	own := s.compared(annotator)
	predicted := make([]predictions, len(models))
	for f, m := range models {
		if s.variances[f] > 0 {
			predicted[f] = s.predict(m, f, annotator, random)
		}
	}
	ratios = make([][]float64, len(skills))
	for k := range ratios {
		ratios[k] = make([]float64, len(own))
	}
	var rows [len(allSkills)][maxOthers + 1]rowScore
	logs := make([]float64, maxOthers+1)
	for i, l := range own {
		var others []int32
		isCompared := false
		clear(rows[:])
		for f := range models {
			list, ok := s.comparable(f, l)
			if !ok {
				continue
			}
			others, isCompared = list, true
			point := s.Points[f][l]
			for v := range len(others) + 1 {
				cell := predicted[f][s.keyOf(f, others, v-1)]
				for k := range skills {
					rows[k][v].add(cell.logs[k][point], cell.scores[k][point])
				}
			}
		}
		for k := range skills {
			if ratios[k][i] = math.NaN(); isCompared {
				for v := range logs[:len(others)+1] {
					logs[v] = rows[k][v].log(correlation)
				}
				ratios[k][i] = min(1/s.mix(others, shares, logs), maxRandomness)
			}
		}
		shared.add(rows[len(skills)/2][0], 1-random[l])
	}
	return ratios, shared
}

// mix returns the mean of inverse ratios: next to all others, and next to all but one, whose answers are random.
func (s *labelSet) mix(others []int32, shares, logs []float64) float64 {
	sum, total := math.Exp(logs[0]), 1.0
	for i, other := range others {
		share := shares[s.AnnotatorOf[other]]
		odds := share / (1 - share)
		sum, total = sum+odds*math.Exp(logs[i+1]), total+odds
	}
	return sum / total
}

// testCareless tests whether more of an annotator's answers look random than of the others'. Those who are found are
// left out of what the rest are compared with.
func (s *labelSet) testCareless() (tests []test) {
	tests = s.compareMixtures(s.fitMixtures())
	found := significant(tests)
	if len(found) == 0 {
		return tests
	}
	s.exclude(found)
	tests = slices.DeleteFunc(tests, func(t test) bool {
		return !s.isExcluded[slices.Index(s.Annotators, t.Annotator)]
	})
	rest := s.compareMixtures(s.fitMixtures())
	s.exclude(significant(append(slices.Clone(tests), rest...)))
	return append(tests, rest...)
}

func (s *labelSet) fitMixtures() []mixture {
	random, mixtures := make([]float64, len(s.ItemOf)), make([]mixture, len(s.Annotators))
	models, shares, found := make([]answerModel, len(s.fields)), make([]float64, len(s.Annotators)),
		make([]float64, len(s.Annotators))
	correlation := 0.0
	for round := range modelRounds {
		tried := allSkills[usualSkill : usualSkill+1]
		if round == modelRounds-1 {
			tried = allSkills[:]
		}
		for f := range s.fields {
			models[f] = s.fitModel(f, random)
			for _, skill := range tried {
				models[f].bySkill = append(models[f].bySkill, models[f].answersWith(skill))
			}
		}
		var wait sync.WaitGroup
		errors := make([]commonError, len(s.Annotators))
		for a := range s.Annotators {
			wait.Go(func() {
				own := s.compared(a)
				var ratios [][]float64
				ratios, errors[a] = s.randomness(models, a, random, shares, tried, correlation)
				shared := make([]int32, 0, len(own))
				for i, l := range own {
					if !math.IsNaN(ratios[0][i]) {
						shared = append(shared, l)
					}
				}
				m := make(mixture, len(ratios))
				for e, list := range ratios {
					m[e] = slices.DeleteFunc(list, math.IsNaN)
				}
				if mixtures[a] = m; round == modelRounds-1 || len(shared) == 0 {
					return
				}
				found[a], _ = m.share()
				found[a] = min(found[a], maxShare)
				for i, r := range m[0] {
					random[shared[i]] = probabilityOfRandom(found[a], r)
				}
			})
		}
		wait.Wait()
		copy(shares, found)
		correlation = correlationOf(errors)
	}
	return mixtures
}

// compareMixtures compares the share of random answers with that of all others together.
func (s *labelSet) compareMixtures(mixtures []mixture) (tests []test) {
	shares, skillOf, sum, labels, annotators := make([]float64, len(mixtures)), make([]int, len(mixtures)), 0.0, 0, 0
	for a, m := range mixtures {
		if m.items() >= minSharedItems && !s.isExcluded[a] {
			shares[a], skillOf[a] = m.share()
			sum, labels, annotators = sum+shares[a]*float64(m.items()), labels+m.items(), annotators+1
		}
	}
	if annotators < 3 { // of two, nothing shows who is careless
		return nil
	}
	for a, m := range mixtures {
		n := m.items()
		if n < minSharedItems || s.isExcluded[a] {
			continue
		}
		others := (sum - shares[a]*float64(n)) / float64(labels-n)
		t := test{FoundEffect: FoundEffect{Effect: Careless, Annotator: s.Annotators[a], Value: shares[a],
			Others: others, Items: n,
			P: m.above(shares[a], others)}}
		t.Low, t.High = m.limit(shares[a], 0), m.limit(shares[a], 1)
		t.detectable = m.detectable(others, skillOf[a])
		tests = append(tests, t)
	}
	return tests
}
