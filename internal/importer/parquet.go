package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
)

// readParquet passes each row of a Parquet file to b. The index of the file is at its end, so
// that a file without a source is in memory while it is read.
func readParquet(in *bufio.Reader, b *builder) error {
	source := b.source
	if source == nil {
		content, err := io.ReadAll(&limitedReader{ctx: b.ctx, reader: in, remaining: FileLimit})
		if errors.Is(err, errFileTooLarge) {
			b.errs.addFirst(0, messagef("A Parquet file with gzip has at most %d MiB. Unpack it: Parquet is compressed already.", FileLimit>>20))
			return nil
		}
		if err != nil {
			return err
		}
		source = bytes.NewReader(content)
	}
	file, err := parquet.OpenFile(source, source.Size())
	if err != nil {
		b.errs.add(0, "", "This Parquet file cannot be read: %s. Write it again.", err)
		return nil
	}
	rows := parquet.NewGenericReader[any](file)
	defer rows.Close()
	batch := make([]any, 64)
	for rowNo := 1; ; {
		n, err := rows.Read(batch)
		for _, values := range batch[:n] {
			line, encodeErr := json.Marshal(values)
			if encodeErr != nil {
				return encodeErr
			}
			if v, ok := parseObject(line, rowNo, nil, b.maxValues(), b.errs); ok {
				if err := b.addRow(row{rowNo, v.members}); err != nil {
					return err
				}
			}
			rowNo++
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			b.errs.add(rowNo, "", "This row cannot be read: %s.", err)
			return nil
		}
	}
}
