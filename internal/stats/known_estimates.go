package stats

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"sync"
)

// KnownEstimates are the estimates of earlier computations, by everything that they depend on. A
// report whose labels changed a little takes those that did not change from it; each is equal to
// one that is computed from scratch. It is safe for concurrent use.
type KnownEstimates struct {
	mu              sync.Mutex
	seed            maphash.Seed
	current, former map[estimateKey]any
}

// An estimateKey is a hash of everything that an estimate depends on.
type estimateKey uint64

// NewKnownEstimates returns an empty set.
func NewKnownEstimates() *KnownEstimates {
	return &KnownEstimates{seed: maphash.MakeSeed(), current: map[estimateKey]any{}}
}

// StartRound removes the estimates that were not used since the last call. k may be nil.
func (k *KnownEstimates) StartRound() {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.former, k.current = k.current, map[estimateKey]any{}
}

// reuse returns the known result of a computation, or computes it. write writes what it depends on.
func reuse[T any](k *KnownEstimates, write func(h *inputHash), compute func() T) T {
	if k == nil {
		return compute()
	}
	h := inputHash{}
	h.SetSeed(k.seed)
	write(&h)
	key := estimateKey(h.Sum64())
	k.mu.Lock()
	known, isKnown := k.current[key]
	if !isKnown {
		known, isKnown = k.former[key]
	}
	k.mu.Unlock()
	result, isSame := known.(T)
	if !isKnown || !isSame {
		result = compute()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current[key] = result
	return result
}

// An inputHash is a hash of the input of a computation. Every list is written with its length. Writing
// to it never fails.
type inputHash struct {
	maphash.Hash
	buffer []byte
}

func (h *inputHash) writeNumber(n uint64) {
	h.buffer = binary.LittleEndian.AppendUint64(h.buffer[:0], n)
	_, _ = h.Write(h.buffer)
}

func (h *inputHash) writeFlag(flag bool) { h.writeNumber(uint64(boolToFloat(flag))) }

func (h *inputHash) writeText(text string) {
	h.writeNumber(uint64(len(text)))
	_, _ = h.WriteString(text)
}

func (h *inputHash) writeTexts(texts []string) {
	h.writeNumber(uint64(len(texts)))
	for _, text := range texts {
		h.writeText(text)
	}
}

func (h *inputHash) writeNumbers(numbers []int32) {
	h.writeNumber(uint64(len(numbers)))
	h.buffer = h.buffer[:0]
	for _, n := range numbers {
		if h.buffer = binary.LittleEndian.AppendUint32(h.buffer, uint32(n)); len(h.buffer) >= 4096 {
			_, _ = h.Write(h.buffer)
			h.buffer = h.buffer[:0]
		}
	}
	_, _ = h.Write(h.buffer)
}

// writeOptions writes what an interval depends on. The number of workers changes nothing.
func (h *inputHash) writeOptions(o IntervalOptions) {
	h.writeNumber(uint64(o.Resamples))
	h.writeNumber(o.Seed)
	h.writeNumber(math.Float64bits(o.Level))
	h.writeText(string(o.Method))
}

func (h *inputHash) writeTable(t RatingTable) {
	h.writeNumber(uint64(len(t.Scale)))
	for _, point := range t.Scale {
		h.writeNumber(uint64(point))
	}
	h.writeTexts(t.items)
	h.writeTexts(t.annotators)
	h.writeTexts(t.valueNames)
	h.writeNumbers(t.rowStart)
	h.writeNumbers(t.annotatorOf)
	h.writeNumbers(t.clusterOf)
	h.writeNumber(uint64(len(t.categoryOf)))
	_, _ = h.Write(t.categoryOf)
}
