package ratereffect

// missedText states how many of the risks that others or known answers report the annotator does not,
// and what the test of this number shows.
func (r Result) missedText(t Texts) string {
	return r.missedCount(t) + " " + r.missedTest(t)
}

func (r Result) missedCount(t Texts) string {
	switch r.Others {
	case OneOther:
		return t.T("Reports no risk in %d of %d items in which the only other annotator reports one.", r.Misses, r.ItemCount)
	case TwoOthers:
		return t.T("Reports no risk in %d of %d items in which both others report one.", r.Misses, r.ItemCount)
	case MostOthers:
		return t.T("Reports no risk in %d of %d items in which most others report one.", r.Misses, r.ItemCount)
	}
	return t.T("Reports no risk in %d of %d items in which the known answer reports one.", r.Misses, r.ItemCount)
}

func (r Result) missedTest(t Texts) string {
	switch {
	case r.Undefined == TooFewItems:
		return t.T("The test needs %d such items: read these.", r.MinItems)
	case r.Undefined == LowAgreement:
		return t.T("Annotators agree too little to tell who is right: read these items.")
	case r.Others == OneOther:
		return t.T("Either can be right: read these items.")
	case r.isBeyondTolerated():
		return t.T("That is more than the tolerated %.0f%%, but can be chance (p = %.2f): read these items.", 100*r.Tolerated, r.PValue)
	}
	return t.T("That is within the tolerated %.0f%% (could have detected %s), but read these items.", 100*r.Tolerated, r.detectableText(t))
}

// HasMisses reports whether the annotator missed risks that no test finds.
func (r Result) HasMisses() bool {
	return r.Effect == MissedSafety && r.Misses > 0 && !r.Detected && (r.Undefined == "" || r.Undefined == TooFewItems || r.Undefined == LowAgreement)
}

// IsNoticeable reports whether a value that no test finds still needs a look: at least two missed risks,
// and more than is tolerated.
func (r Result) IsNoticeable() bool {
	return r.HasMisses() && r.Misses > 1 && r.isBeyondTolerated()
}

// isBeyondTolerated reports whether the share of misses itself, whatever its interval, is above the
// tolerated one. Without the value of others that is the margin.
func (r Result) isBeyondTolerated() bool {
	tolerated := r.Tolerated
	if r.Undefined != "" || r.Others == OneOther {
		tolerated = missedMargin
	}
	return float64(r.Misses) > tolerated*float64(r.ItemCount)
}

// describeMissed returns the finding and the advice for missed risks that were detected, by the text of
// their share.
func (r Result) describeMissed(t Texts, share string) (finding, advice string) {
	switch r.Others {
	case OneOther:
		return t.T("Reports no risk although the only other annotator reports one, in %s", share),
			t.T("Either can be right: go through these items and the safety anchors together.")
	case TwoOthers:
		finding = t.T("Reports no risk although both others report one, in %s", share)
	default:
		finding = t.T("Reports no risk although most others report one, in %s", share)
	}
	if r.IsAbsolute && !r.IsKnown {
		finding += t.T(", more than careful work can miss (%.0f%%)", 100*r.Tolerated)
	}
	return finding, t.T("Go through these items and the safety anchors together soon.")
}

// noRoomText returns the values that leave no room for a difference.
func (r Result) noRoomText(t Texts) string {
	switch r.Effect {
	case ScoreCompression:
		return t.T("the scores vary by %s, those of the others by %s", r.points(t, r.Value), r.points(t, r.PeerMedian))
	case HaloEffect:
		return t.T("the fields correlate at %.2f, those of the others at %.2f", r.Value, r.PeerMedian)
	}
	return t.T("the share is %.0f%%, that of the others %.0f%%", 100*r.Value, 100*r.PeerMedian)
}
