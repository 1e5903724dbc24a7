package tools

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// pictureSideMax is the longest side of a picture, in pixels; providers refuse
// longer ones.
const pictureSideMax = 8000

// errCutShort is of a picture that ends before it is whole.
var errCutShort = errors.New("it is cut short or damaged")

// CheckPicture returns an error for data that are not a whole picture of media,
// one of image/png, image/jpeg, image/gif and image/webp, or too large in
// pixels. A provider refuses a request with such a picture, and as it stays in
// the history every later one too. It looks at the structure only, not at each
// pixel, and takes no memory to speak of.
func CheckPicture(media string, data []byte) error {
	var size image.Config
	err := fmt.Errorf("%s is no kind of picture that models take", media)
	whole := false
	switch media {
	case "image/png":
		size, err = png.DecodeConfig(bytes.NewReader(data))
		whole = err == nil && wholePNG(data)
	case "image/jpeg":
		size, err = jpeg.DecodeConfig(bytes.NewReader(data))
		whole = err == nil && wholeJPEG(data)
	case "image/gif":
		size, err = gif.DecodeConfig(bytes.NewReader(data))
		whole = err == nil && wholeGIF(data)
	case "image/webp":
		size, err = webpSize(data)
		whole = true
	}
	switch {
	case err != nil:
		return err
	case !whole:
		return errCutShort
	case min(size.Width, size.Height) < 1 || max(size.Width, size.Height) > pictureSideMax:
		return fmt.Errorf("%d by %d pixels; a side is 1 to %d", size.Width, size.Height, pictureSideMax)
	}
	return nil
}

// wholePNG walks the chunks to the last, each with its checksum.
func wholePNG(data []byte) bool {
	pixels := false
	for rest := data[8:]; len(rest) >= 12; {
		size := uint64(binary.BigEndian.Uint32(rest))
		if size > uint64(len(rest)-12) {
			return false
		}
		chunk, sum := rest[4:8+size], binary.BigEndian.Uint32(rest[8+size:])
		if crc32.ChecksumIEEE(chunk) != sum {
			return false
		}
		switch string(chunk[:4]) {
		case "IDAT":
			pixels = true
		case "IEND":
			return pixels
		}
		rest = rest[12+size:]
	}
	return false
}

// wholeJPEG walks the segments to the first scan, and looks for the end of the
// image behind it: a small picture of the camera's before it has an end, too.
func wholeJPEG(data []byte) bool {
	const scan = 0xda
	for rest := data[2:]; len(rest) >= 4; {
		switch {
		case rest[0] != 0xff, rest[1] == 0xff, rest[1] == 0: // between two segments
			rest = rest[1:]
		case rest[1] == scan:
			return bytes.Contains(rest, []byte{0xff, 0xd9})
		default:
			rest = skip(rest, 2+int(binary.BigEndian.Uint16(rest[2:])))
		}
	}
	return false
}

// wholeGIF walks the blocks to the trailer.
func wholeGIF(data []byte) bool {
	pixels := false
	rest := skip(data, 13+colours(data[10]))
	for len(rest) > 0 {
		switch rest[0] {
		case ';':
			return pixels
		case '!': // an extension
			rest = subBlocks(skip(rest, 2))
		case ',': // a frame
			if len(rest) < 10 {
				return false
			}
			pixels = true
			rest = subBlocks(skip(rest, 11+colours(rest[9])))
		default:
			return false
		}
	}
	return false
}

// colours is the length of the table that flags announce.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

func skip(data []byte, n int) []byte { return data[min(n, len(data)):] }

func subBlocks(data []byte) []byte {
	for len(data) > 0 && data[0] > 0 {
		data = skip(data, 1+int(data[0]))
	}
	return skip(data, 1)
}

// webpSize reads the size from the first chunk, if the file is as long as it says.
func webpSize(data []byte) (image.Config, error) {
	if len(data) < 30 || uint64(binary.LittleEndian.Uint32(data[4:]))+8 > uint64(len(data))+1 {
		return image.Config{}, errCutShort
	}
	short := func(at int) int { return int(binary.LittleEndian.Uint16(data[at:])) }
	long := func(at int) int { return short(at) | int(data[at+2])<<16 }
	switch string(data[12:16]) {
	case "VP8X":
		return image.Config{Width: 1 + long(24), Height: 1 + long(27)}, nil
	case "VP8L":
		bits := binary.LittleEndian.Uint32(data[21:])
		return image.Config{Width: 1 + int(bits&0x3fff), Height: 1 + int(bits>>14&0x3fff)}, nil
	case "VP8 ":
		return image.Config{Width: short(26) & 0x3fff, Height: short(28) & 0x3fff}, nil
	}
	return image.Config{}, errCutShort
}
