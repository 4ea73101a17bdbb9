package importer

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// decode returns a value by the logical type of its column, or what is wrong with it.
func (n *parquetNode) decode(cell parquetCell) (v value, problem string) {
	switch n.logical.kind {
	case logicalDecimal:
		return n.decodeDecimal(cell)
	case logicalDate:
		return textValue(time.Unix(int64(int32(cell.bits))*secondsOfDay, 0).UTC().Format("2006-01-02")), ""
	case logicalTime:
		return textValue(formatTime(time.Unix(0, 0).UTC().Add(n.duration(cell)), "15:04:05", n.logical)), ""
	case logicalTimestamp:
		return textValue(formatTime(n.timestamp(cell), "2006-01-02T15:04:05", n.logical)), ""
	case logicalInterval:
		if len(cell.bytes) == 12 {
			milliseconds := readUint32(cell.bytes[8:])
			return textValue(fmt.Sprintf("P%dM%dDT%d.%03dS", readUint32(cell.bytes), readUint32(cell.bytes[4:]),
				milliseconds/1000, milliseconds%1000)), ""
		}
	case logicalUUID:
		if len(cell.bytes) == 16 {
			digits := hex.EncodeToString(cell.bytes)
			return textValue(digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" +
				digits[20:]), ""
		}
	case logicalFloat16:
		if len(cell.bytes) == 2 {
			return floatValue(halfFloat(binary.LittleEndian.Uint16(cell.bytes)), 32), ""
		}
	case logicalJSON:
		return decodeJSONText(cell)
	}
	switch n.type_ {
	case typeBoolean:
		if cell.bits == 1 {
			return value{kind: 't', raw: []byte("true")}, ""
		}
		return value{kind: 'f', raw: []byte("false")}, ""
	case typeInt32:
		if n.logical.isUnsigned {
			return digitsValue(strconv.FormatUint(uint64(uint32(cell.bits)), 10)), ""
		}
		return digitsValue(strconv.FormatInt(int64(int32(cell.bits)), 10)), ""
	case typeInt64:
		if n.logical.isUnsigned {
			return digitsValue(strconv.FormatUint(cell.bits, 10)), ""
		}
		return digitsValue(strconv.FormatInt(int64(cell.bits), 10)), ""
	case typeInt96: // nanoseconds of a Julian day
		days := int64(readUint32(cell.bytes[8:])) - 2440588
		at := time.Unix(days*secondsOfDay, int64(binary.LittleEndian.Uint64(cell.bytes))).UTC()
		return textValue(formatTime(at, "2006-01-02T15:04:05", logicalType{unit: 9})), ""
	case typeFloat:
		return floatValue(float64(math.Float32frombits(uint32(cell.bits))), 32), ""
	case typeDouble:
		return floatValue(math.Float64frombits(cell.bits), 64), ""
	}
	return n.decodeText(cell)
}

const secondsOfDay = 24 * 60 * 60

func (n *parquetNode) decodeText(cell parquetCell) (value, string) {
	text := string(cell.bytes)
	problem := checkText(text)
	if isText := n.logical.kind == logicalString || n.logical.kind == logicalEnum; problem != "" && !isText {
		problem = "This is binary data, not text. Write the column as text, or leave it out of the file."
	}
	return textValue(text), problem
}

// decodeJSONText returns the JSON that a text holds, or the text.
func decodeJSONText(cell parquetCell) (value, string) {
	text := textValue(string(cell.bytes))
	if problem := checkText(text.text); problem != "" {
		return text, problem
	}
	if parsed := text.parsed(); parsed.is('{') || parsed.is('[') {
		return parsed, ""
	}
	return text, ""
}

func digitsValue(digits string) value { return value{kind: '0', text: digits, raw: []byte(digits)} }

// floatValue returns the shortest decimal of a number. What is no number is missing, and text in metadata.
func floatValue(x float64, bits int) value {
	switch {
	case math.IsNaN(x):
		return value{kind: 'n', raw: []byte(`"NaN"`)}
	case math.IsInf(x, 1):
		return value{kind: 'n', raw: []byte(`"Infinity"`)}
	case math.IsInf(x, -1):
		return value{kind: 'n', raw: []byte(`"-Infinity"`)}
	}
	digits := strconv.FormatFloat(x, 'g', -1, bits)
	if magnitude := math.Abs(x); magnitude < 1e16 && magnitude >= 1e-4 || x == 0 {
		digits = strconv.FormatFloat(x, 'f', -1, bits)
		if !strings.Contains(digits, ".") {
			digits += ".0"
		}
	}
	return digitsValue(digits)
}

// halfFloat returns a number of 16 bits.
func halfFloat(bits uint16) float64 {
	sign, exponent, fraction := 1.0, int(bits>>10&31), float64(bits&1023)
	if bits>>15 == 1 {
		sign = -1
	}
	switch {
	case exponent == 31 && fraction == 0:
		return math.Inf(int(sign))
	case exponent == 31:
		return math.NaN()
	case exponent == 0:
		return sign * math.Ldexp(fraction, -24)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// maxDecimal is how many bytes a decimal may have; databases use up to 32.
const maxDecimal = 64

// decodeDecimal returns a decimal with all its digits.
func (n *parquetNode) decodeDecimal(cell parquetCell) (value, string) {
	unscaled := new(big.Int)
	switch n.type_ {
	case typeInt32:
		unscaled.SetInt64(int64(int32(cell.bits)))
	case typeInt64:
		unscaled.SetInt64(int64(cell.bits))
	default:
		if len(cell.bytes) > maxDecimal || n.logical.scale < 0 || n.logical.scale > maxNumberLength/2 {
			return value{kind: 'n'}, "This decimal number is too long."
		}
		unscaled.SetBytes(cell.bytes)
		if len(cell.bytes) > 0 && cell.bytes[0] >= 0x80 {
			unscaled.Sub(unscaled, new(big.Int).Lsh(big.NewInt(1), uint(8*len(cell.bytes))))
		}
	}
	scale := min(max(n.logical.scale, 0), maxNumberLength/2)
	digits := new(big.Int).Abs(unscaled).String()
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if unscaled.Sign() < 0 {
		digits = "-" + digits
	}
	return digitsValue(digits), ""
}

// duration returns the time of day of a cell.
func (n *parquetNode) duration(cell parquetCell) time.Duration {
	if n.type_ == typeInt32 {
		return time.Duration(int32(cell.bits)) * time.Millisecond
	}
	return time.Duration(int64(cell.bits)) * n.logical.unitDuration()
}

// timestamp returns the time of a cell, which may be far in the future or the past.
func (n *parquetNode) timestamp(cell parquetCell) time.Time {
	perSecond := int64(time.Second / n.logical.unitDuration())
	ticks := int64(cell.bits)
	seconds, rest := ticks/perSecond, ticks%perSecond
	return time.Unix(seconds, rest*int64(n.logical.unitDuration())).UTC()
}

func (l logicalType) unitDuration() time.Duration {
	switch l.unit {
	case 6:
		return time.Microsecond
	case 9:
		return time.Nanosecond
	}
	return time.Millisecond
}

// formatTime returns a time with the digits of its unit, and Z if it is in UTC rather than at a place
// that is not known.
func formatTime(t time.Time, layout string, l logicalType) string {
	text := t.Format(layout + "." + strings.Repeat("0", max(l.unit, 3)))
	if l.isUTC {
		text += "Z"
	}
	return text
}

// simplify returns a list or map as JSON has it: without the groups in which Parquet writes their elements.
func (n *parquetNode) simplify(object value) value {
	if len(n.children) != 1 || n.children[0].repetition != repeated {
		return object
	}
	inner, elements := n.children[0], object.members[0].list
	switch n.logical.kind {
	case logicalList:
		if isWrapped := inner.isGroup && len(inner.children) == 1 && inner.name != "array" && inner.name != n.name+
			"_tuple"; isWrapped {
			for i, element := range elements {
				elements[i] = element.members[0].value
			}
		}
		return listValue(elements)
	case logicalMap:
		if inner.isGroup && len(inner.children) <= 2 {
			return mapValue(elements)
		}
	}
	return object
}

// mapValue returns an object of the entries of a map, or the entries if keys are neither texts nor numbers, or
// are not distinct.
func mapValue(entries []value) value {
	object, seen := value{kind: '{'}, map[string]bool{}
	for _, entry := range entries {
		key, content := entry.members[0], value{kind: 'n'}
		if len(entry.members) == 2 {
			content = entry.members[1].value
		}
		if seen[key.text] || !key.is('"') && !key.is('0') {
			return listValue(entries)
		}
		seen[key.text] = true
		object.members = append(object.members, member{key.text, content})
	}
	return object
}
