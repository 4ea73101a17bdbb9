package ratereffect

import "math"

// A mixture is how random the answers of one annotator look, by skill and item. A share of them is random, and the
// others are not.
type mixture [][]float64

// skillSpread is the standard deviation of the logarithm of the skill of careful annotators.
const skillSpread = 0.12

// prior returns the logarithm of the probability of a skill, up to a constant.
func (m mixture) prior(skill int) float64 {
	if len(m) == 1 {
		return 0
	}
	distance := math.Log(allSkills[skill]) / skillSpread
	return -distance * distance / 2
}

func (m mixture) items() int {
	if len(m) == 0 {
		return 0
	}
	return len(m[0])
}

// share returns the most likely share of random answers, by the EM algorithm, and the skill next to it.
func (m mixture) share() (best float64, skill int) {
	likeliest := math.Inf(-1)
	for k, ratios := range m {
		share := 0.1
		for range 60 {
			next := 0.0
			for _, r := range ratios {
				next += probabilityOfRandom(share, r)
			}
			share = next / float64(len(ratios))
		}
		if l := m.logLikelihoodOf(share, k); l > likeliest {
			likeliest, best, skill = l, share, k
		}
	}
	return best, skill
}

func probabilityOfRandom(share, randomness float64) float64 {
	return share * randomness / (1 - share + share*randomness)
}

// logLikelihood returns that of a share with the skill that is likeliest next to it.
func (m mixture) logLikelihood(share float64) float64 {
	most := math.Inf(-1)
	for k := range m {
		most = max(most, m.logLikelihoodOf(share, k))
	}
	return most
}

func (m mixture) logLikelihoodOf(share float64, skill int) float64 {
	sum := m.prior(skill)
	for _, r := range m[skill] {
		sum += math.Log((1-share)/r + share)
	}
	return sum
}

// above returns the p-value of a share above that of others, by the likelihood ratio, with the spread of careful
// annotators added to its standard error. The share of all others together is known much better than that of one.
func (m mixture) above(share, ofOthers float64) float64 {
	if share <= ofOthers {
		return 1
	}
	z := math.Sqrt(2 * max(epsilon, m.logLikelihood(share)-m.logLikelihood(ofOthers)))
	return normalTail((share - ofOthers) / withSpread((share-ofOthers)/z))
}

func withSpread(standardError float64) float64 {
	return math.Sqrt(standardError*standardError + spreadOfSkill*spreadOfSkill)
}

// limit returns the end of the 95% interval on the side of an end of the shares, by the likelihood.
func (m mixture) limit(share, end float64) float64 {
	lowest, inside, outside := m.logLikelihood(share)-normalQuantile975*normalQuantile975/2, share, end
	for range 20 {
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
func (m mixture) detectable(ofOthers float64, skill int) func(critical float64) float64 {
	return func(critical float64) float64 {
		share := ofOthers
		for range 30 {
			information := 0.0
			for _, r := range m[skill] {
				information += (r - 1) * (r - 1) / (1 + share*(r-1))
			}
			standardError := withSpread(1 / math.Sqrt(max(information, epsilon)))
			share = min(1, (share+ofOthers+(critical+normalQuantile80)*standardError)/2)
		}
		return share
	}
}
