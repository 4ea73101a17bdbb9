package ratereffect

import (
	"math"
	"slices"
	"sync"
)

const (
	// minSharedItems is the number of labels of items with labels of others that a comparison needs.
	minSharedItems = 10
	// spreadOfSkill is the standard deviation between careful annotators of the share of items whose answers look random.
	spreadOfSkill = 0.03
	// maxOthers is the number of other labels of an item from which an answer is predicted.
	maxOthers = 5
	// maxRandomness bounds what one item can show.
	maxRandomness = 100
	// modelRounds is how often the model is fitted, each time without the answers that look random to the one before.
	modelRounds = 3
	// tiltRounds is the number of Newton steps by which predictions are fitted to the level of an annotator.
	tiltRounds = 3
	// usualAgreement is the correlation of two annotators' answers that prediction from several others allows for.
	usualAgreement = 0.6
)

// An answerModel predicts an answer from another annotator's answer to the same field of the same item.
type answerModel struct {
	shares []float64   // of the answers, by point
	ratios [][]float64 // other's point → own point → how many times as frequent it is next to the other's
}

// fitModel counts which answers pairs of annotators give, without those that are probably random.
func (s *labelSet) fitModel(field int, random []float64) answerModel {
	k := len(s.fields[field].Scale)
	m, counts := answerModel{make([]float64, k), make([][]float64, k)}, make([]float64, k*k)
	s.visitPairs(func(a, b int32) {
		x, y := s.Points[field][a], s.Points[field][b]
		if x != NoPoint && y != NoPoint && !s.isExcluded[s.AnnotatorOf[a]] && !s.isExcluded[s.AnnotatorOf[b]] {
			weight := (1 - random[a]) * (1 - random[b])
			counts[int(x)*k+int(y)] += weight
			counts[int(y)*k+int(x)] += weight
		}
	})
	total := 1.0
	for y := range k {
		row := counts[y*k : (y+1)*k]
		m.shares[y] = 1 / float64(k)
		for _, n := range row {
			m.shares[y], total = m.shares[y]+n, total+n
		}
	}
	for y := range k {
		row := counts[y*k : (y+1)*k]
		n := m.shares[y] - 1/float64(k)
		m.ratios[y] = make([]float64, k)
		for x := range row {
			m.ratios[y][x] = (row[x]*total/m.shares[x] + 1) / (n + 1)
		}
	}
	for y := range k {
		m.shares[y] /= total
	}
	return m
}

// weights returns how probable each answer is next to answers of others to the same field, which are not independent of each
// other, up to a factor.
func (m answerModel) weights(others []uint8) []float64 {
	exponent := (1 + usualAgreement) / (1 + usualAgreement*float64(len(others)))
	weights := make([]float64, len(m.shares))
	for x, share := range m.shares {
		product := 1.0
		for _, y := range others {
			product *= m.ratios[y][x]
		}
		weights[x] = share * math.Pow(product, exponent)
	}
	return weights
}

// A prediction is how probable the answers of an annotator to a field are next to certain answers of others, and how often they
// are given.
type prediction struct{ weights, counts []float64 }

// predictions are those of one annotator and field, by the others' answers.
type predictions map[[maxOthers]uint8]*prediction

// predict returns the predictions, tilted so that their mean is that of the annotator's answers without random ones: a different
// standard is not careless.
func (s *labelSet) predict(m answerModel, field, annotator int, random []float64, isFirst bool) predictions {
	p := predictions{}
	for _, l := range s.byAnnotator[annotator] {
		if key, n := s.othersAnswers(field, l); n > 0 {
			if p[key] == nil {
				p[key] = &prediction{m.weights(key[:n]), make([]float64, len(m.shares))}
			}
			p[key].counts[s.Points[field][l]] += 1 - random[l]
		}
	}
	if isFirst {
		return p
	}
	for range tiltRounds {
		excess, variance := 0.0, epsilon
		for _, cell := range p {
			given, n, predicted, squared, total := 0.0, 0.0, 0.0, 0.0, 0.0
			for x, w := range cell.weights {
				v := float64(x)
				given, n = given+v*cell.counts[x], n+cell.counts[x]
				predicted, squared, total = predicted+v*w, squared+v*v*w, total+w
			}
			predicted /= total
			excess, variance = excess+given-n*predicted, variance+n*(squared/total-predicted*predicted)
		}
		tilt := max(-1, min(1, excess/variance))
		for _, cell := range p {
			for x := range cell.weights {
				cell.weights[x] *= math.Exp(tilt * float64(x))
			}
		}
	}
	return p
}

// othersAnswers returns the answers of others to a field of a label's item, in a fixed order, and their number; 0 without an answer
// of the label.
func (s *labelSet) othersAnswers(field int, label int32) (answers [maxOthers]uint8, n int) {
	points := s.Points[field]
	if points[label] == NoPoint || s.variances[field] == 0 {
		return answers, 0
	}
	s.others(label, func(other int32) {
		if y := points[other]; y != NoPoint && n < maxOthers {
			answers[n] = y
			n++
		}
	})
	for i := n; i < maxOthers; i++ {
		answers[i] = NoPoint
	}
	slices.Sort(answers[:n])
	return answers, n
}

// randomness returns, for each label of an annotator, how many times as likely its answers are if all points of the scales are as
// likely, as they are next to the others' answers; NaN without others.
func (s *labelSet) randomness(models []answerModel, annotator int, random []float64, isFirst bool) []float64 {
	own := s.byAnnotator[annotator]
	logs := make([]float64, len(own))
	for i := range logs {
		logs[i] = math.NaN()
	}
	for f, m := range models {
		p := s.predict(m, f, annotator, random, isFirst)
		for i, l := range own {
			if key, n := s.othersAnswers(f, l); n > 0 {
				if math.IsNaN(logs[i]) {
					logs[i] = 0
				}
				weights := p[key].weights
				logs[i] -= math.Log(float64(len(weights)) * weights[s.Points[f][l]] / sum(weights))
			}
		}
	}
	for i, log := range logs {
		logs[i] = min(math.Exp(log), maxRandomness)
	}
	return logs
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// A mixture is how random the answers of one annotator look, by item. A share of them is random, and the others are not.
type mixture []float64

// share returns the most likely share of random answers, by the EM algorithm.
func (m mixture) share() float64 {
	share := 0.1
	for range 60 {
		next := 0.0
		for _, r := range m {
			next += probabilityOfRandom(share, r)
		}
		share = next / float64(len(m))
	}
	return share
}

func probabilityOfRandom(share, randomness float64) float64 {
	return share * randomness / (1 - share + share*randomness)
}

func (m mixture) logLikelihood(share float64) (sum float64) {
	for _, r := range m {
		sum += math.Log(1 - share + share*r)
	}
	return sum
}

// above returns the p-value of a share above that of others, by the likelihood ratio, with the spread of careful annotators
// and the error of theirs added to its standard error.
func (m mixture) above(share, ofOthers float64, others int) float64 {
	if share <= ofOthers {
		return 1
	}
	z := math.Sqrt(2 * max(epsilon, m.logLikelihood(share)-m.logLikelihood(ofOthers)))
	return normalTail((share - ofOthers) / withSpread((share-ofOthers)/z, others))
}

func withSpread(standardError float64, others int) float64 {
	return math.Sqrt(standardError*standardError*(1+1/float64(others)) + spreadOfSkill*spreadOfSkill)
}

// limit returns the end of the 95% interval on the side of an end of the shares, by the likelihood.
func (m mixture) limit(share, end float64) float64 {
	lowest, inside, outside := m.logLikelihood(share)-normalQuantile975*normalQuantile975/2, share, end
	for range 30 {
		middle := (inside + outside) / 2
		if m.logLikelihood(min(middle, 1-epsilon)) >= lowest {
			inside = middle
		} else {
			outside = middle
		}
	}
	return inside
}

// detectable returns the share that is found above that of others with 80% power, from what the items would show of it.
func (m mixture) detectable(ofOthers float64, others int) func(critical float64) float64 {
	return func(critical float64) float64 {
		share := ofOthers
		for range 30 {
			information := 0.0
			for _, r := range m {
				information += (r - 1) * (r - 1) / (1 + share*(r-1))
			}
			share = min(1, (share+ofOthers+(critical+normalQuantile80)*withSpread(1/math.Sqrt(max(information, epsilon)), others))/2)
		}
		return share
	}
}

// testCareless tests whether more of an annotator's answers look random than of the others'. Those who are found are left out
// of what the rest are compared with.
func (s *labelSet) testCareless() (tests []test) {
	tests = s.compareMixtures(s.fitMixtures())
	found := significant(tests)
	if len(found) == 0 {
		return tests
	}
	s.exclude(found)
	tests = slices.DeleteFunc(tests, func(t test) bool { return !s.isExcluded[slices.Index(s.Annotators, t.Annotator)] })
	rest := s.compareMixtures(s.fitMixtures())
	s.exclude(significant(append(slices.Clone(tests), rest...)))
	return append(tests, rest...)
}

func (s *labelSet) fitMixtures() []mixture {
	models, random, mixtures := make([]answerModel, len(s.fields)), make([]float64, len(s.ItemOf)), make([]mixture, len(s.Annotators))
	for round := range modelRounds {
		for f := range s.fields {
			models[f] = s.fitModel(f, random)
		}
		var wait sync.WaitGroup
		for a, own := range s.byAnnotator {
			wait.Go(func() {
				mixtures[a] = mixtures[a][:0]
				ratios := s.randomness(models, a, random, round == 0)
				for _, r := range ratios {
					if !math.IsNaN(r) {
						mixtures[a] = append(mixtures[a], r)
					}
				}
				if round == modelRounds-1 || len(mixtures[a]) == 0 {
					return
				}
				share := mixtures[a].share()
				for i, r := range ratios {
					if !math.IsNaN(r) {
						random[own[i]] = probabilityOfRandom(share, r)
					}
				}
			})
		}
		wait.Wait()
	}
	return mixtures
}

// compareMixtures compares the share of random answers with that of all others together.
func (s *labelSet) compareMixtures(mixtures []mixture) (tests []test) {
	shares, sum, labels, annotators := make([]float64, len(mixtures)), 0.0, 0, 0
	for a, m := range mixtures {
		if len(m) >= minSharedItems && !s.isExcluded[a] {
			shares[a] = m.share()
			sum, labels, annotators = sum+shares[a]*float64(len(m)), labels+len(m), annotators+1
		}
	}
	if annotators < 3 { // of two, nothing shows who is careless
		return nil
	}
	for a, m := range mixtures {
		if len(m) < minSharedItems || s.isExcluded[a] {
			continue
		}
		others := (sum - shares[a]*float64(len(m))) / float64(labels-len(m))
		t := test{FoundEffect: FoundEffect{Effect: Careless, Annotator: s.Annotators[a], Value: shares[a], Others: others, Items: len(m), P: m.above(shares[a], others, annotators-1)}}
		t.Low, t.High = m.limit(shares[a], 0), m.limit(shares[a], 1)
		t.detectable = m.detectable(others, annotators-1)
		tests = append(tests, t)
	}
	return tests
}
