package dataset

import (
	"github.com/klauspost/compress/zstd"
	parquetzstd "github.com/parquet-go/parquet-go/compress/zstd"
)

// A zstdCodec compresses the pages of a Parquet file. They are small, so that the window of
// 8 MiB that the library's own codec allocates, twice for each encoder, is not needed.
type zstdCodec struct {
	parquetzstd.Codec
	encoder *zstd.Encoder
}

func newZstdCodec() (*zstdCodec, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4*parquetPageSize),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	return &zstdCodec{encoder: encoder}, err
}

// Encode compresses a page.
func (c *zstdCodec) Encode(dst, src []byte) ([]byte, error) {
	return c.encoder.EncodeAll(src, dst[:0]), nil
}
