package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Confusion counts what one side said where another said something else.
type Confusion struct {
	ID, Title, Desc string
	First, Second   string // whose answers stand in rows, and in columns
	Scale           []int
	Counts          [][]int
}

// Picture draws the counts as a heat map.
func (c Confusion) Picture() Picture {
	n := len(c.Scale)
	size := min(64, (pictureWidth-56)/float64(n))
	p := Picture{ID: c.ID, Title: c.Title, Desc: c.Desc, height: 46 + size*float64(n), Columns: []Column{{Text: c.First + " said"}}}
	most := 1
	for _, row := range c.Counts {
		for _, count := range row {
			most = max(most, count)
		}
	}
	p.write("tick", "start", 56, 13, cut(c.Second+" said", 44))
	p.write("tick", "start", 0, 32, cut(c.First, 8))
	for j, v := range c.Scale {
		p.write("name", "middle", 56+(float64(j)+0.5)*size, 32, strconv.Itoa(v))
		p.Columns = append(p.Columns, Column{Text: fmt.Sprintf("%s: %d", c.Second, v), Figure: true})
	}
	for i, v := range c.Scale {
		y := 40 + float64(i)*size
		p.write("name", "end", 48, y+size/2+4, strconv.Itoa(v))
		row := []string{strconv.Itoa(v)}
		for j, w := range c.Scale {
			count := c.Counts[i][j]
			says := fmt.Sprintf("%s %d, %s %d: %d", c.First, v, c.Second, w, count)
			p.heat(56+float64(j)*size, y, size, size, float64(count)/float64(most), strconv.Itoa(count), says)
			row = append(row, strconv.Itoa(count))
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// A Matrix is the agreement of every two annotators.
type Matrix struct {
	ID, Title, Desc string
	Names           []string
	Values          [][]*float64 // nil where the two share nothing, or nothing can be said
}

// MostInMatrix is up to how many annotators a matrix can show.
const MostInMatrix = 12

// Picture draws the matrix. Annotators stand by name in rows and by number in
// columns.
func (m Matrix) Picture() Picture {
	n := len(m.Names)
	const left, height = 104.0, 26.0
	size := min(56, (pictureWidth-left)/float64(max(n, 1)))
	p := Picture{ID: m.ID, Title: m.Title, Desc: m.Desc, height: 24 + height*float64(n), Columns: []Column{{Text: ""}}}
	for j, name := range m.Names {
		p.write("tick", "middle", left+(float64(j)+0.5)*size, 14, strconv.Itoa(j+1))
		p.Columns = append(p.Columns, Column{Text: name, Figure: true})
	}
	for i, name := range m.Names {
		y := 20 + float64(i)*height
		p.write("name", "start", 0, y+height/2+4, fmt.Sprintf("%d %s", i+1, cut(name, 13)))
		row := []string{name}
		for j, other := range m.Names {
			text := "–"
			if v := m.Values[i][j]; v != nil && i != j {
				text = decimal(*v)
				p.heat(left+float64(j)*size, y, size, height, math.Max(*v, 0), shortened(text, size), fmt.Sprintf("%s and %s: %s", name, other, text))
			} else {
				p.write("tick", "middle", left+(float64(j)+0.5)*size, y+height/2+4, map[bool]string{true: "", false: "–"}[i == j])
			}
			row = append(row, text)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// shortened leaves out the nought where there is little room.
func shortened(text string, size float64) string {
	if size >= 34 {
		return text
	}
	if below, ok := strings.CutPrefix(text, "−"); ok {
		return "−" + below[1:]
	}
	return text[1:]
}
