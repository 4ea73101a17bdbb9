package importer

import (
	"bytes"
	"strconv"
	"strings"
)

// quoteNumbers returns a line with quotes around numbers that JSON does not have, which Python writes
// (NaN, Infinity), and those that the database would round or refuse, such as 1e400. It returns where
// the quotes start. The first are missing values; in metadata all are kept as text.
func quoteNumbers(line []byte) (quoted []byte, quotedAt []int) {
	if !bytes.ContainsAny(line, "NIeE") {
		return line, nil
	}
	isText, copied := false, 0
	for i := 0; i < len(line); i++ {
		switch b := line[i]; {
		case isText && b == '\\':
			i++
		case b == '"':
			isText = !isText
		case !isText && (b == '-' || b == 'N' || b == 'I' || b >= '0' && b <= '9'):
			end := i + 1
			for end < len(line) && isNumberByte(line[end]) {
				end++
			}
			if end-i <= maxNumberLength && mustQuote(string(line[i:end])) {
				quoted = append(quoted, line[copied:i]...)
				quotedAt = append(quotedAt, len(quoted))
				quoted = append(append(append(quoted, '"'), line[i:end]...), '"')
				copied = end
			}
			i = end - 1
		}
	}
	if quotedAt == nil {
		return line, nil
	}
	return append(quoted, line[copied:]...), quotedAt
}

func isNumberByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '.' || b == '+' || b == '-'
}

const (
	maxNumberLength = 1000 // characters
	maxExponent     = 308  // of numbers that others can read
)

func mustQuote(number string) bool {
	switch strings.TrimPrefix(number, "-") {
	case "NaN", "Infinity":
		return true
	}
	if strings.Trim(number, "0123456789.eE+-") != "" {
		return false // not a number: an error of the line
	}
	_, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	n, err := strconv.Atoi(exponent)
	return exponent != "" && (err != nil && strings.Trim(exponent, "+-0123456789") == "" || n > maxExponent ||
		n < -maxExponent)
}
