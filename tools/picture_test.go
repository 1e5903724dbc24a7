package tools

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// pictures returns a picture of each kind, of the given size but for the last.
func pictures(t *testing.T, w, h int) map[string]string {
	t.Helper()
	var p, j, g bytes.Buffer
	picture := image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})
	for _, err := range []error{
		png.Encode(&p, picture), jpeg.Encode(&j, picture, nil), gif.EncodeAll(&g, &gif.GIF{Image: []*image.Paletted{picture, picture}, Delay: []int{1, 1}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"image/png": p.String(), "image/jpeg": j.String(), "image/gif": g.String(), "image/webp": string(webp)}
}

// A picture that a provider would refuse stays out of the history, where it
// would have every later request refused.
func TestOnlyWholePicturesAreShown(t *testing.T) {
	k := newKit(t, Config{})
	for media, data := range pictures(t, 3, 2) {
		k.write("whole", data)
		if r := k.call("read_file", args{"path": "whole"}); !r.OK() || len(r.Images) != 1 || string(r.Images[0].Data) != data || r.Images[0].MediaType != media {
			t.Errorf("%s: %+v", media, r)
		}
		for n := 16; n < len(data)-1; n++ {
			k.write("cut", data[:n])
			if r := k.call("read_file", args{"path": "cut"}); len(r.Images) > 0 {
				t.Errorf("%s of %d bytes is shown with %d", media, len(data), n)
			}
		}
	}
	broken := []byte(pictures(t, 3, 2)["image/png"])
	broken[len(broken)-20] ^= 1
	k.write("broken.png", string(broken))
	has(t, k.refuse("read_file", args{"path": "broken.png"}), "picture (image/png)", "not shown: it is cut short or damaged")
	k.write("wide.png", pictures(t, pictureSideMax+1, 1)["image/png"])
	has(t, k.refuse("read_file", args{"path": "wide.png"}), "not shown: 8001 by 1 pixels")
	jpg := pictures(t, 3, 2)["image/jpeg"]
	thumbnail := "\xff\xe1\x00\x08Ex\xff\xd9.."
	k.write("camera.jpg", jpg[:2]+thumbnail+jpg[2:])
	k.write("cut.jpg", jpg[:2]+thumbnail+jpg[2:len(jpg)-2])
	if r := k.call("read_file", args{"path": "camera.jpg"}); !r.OK() || len(r.Images) != 1 {
		t.Errorf("with a thumbnail: %+v", r)
	}
	has(t, k.refuse("read_file", args{"path": "cut.jpg"}), "not shown: it is cut short or damaged")
	k.write("text", "GIF89a is how a GIF begins\n")
	has(t, k.want("read_file", args{"path": "text"}), "     1\tGIF89a is how a GIF begins")
}

func FuzzCheckPicture(f *testing.F) {
	for _, s := range []string{"\x89PNG\r\n\x1a\n", "GIF89a" + strings.Repeat("\x80", 20), "\xff\xd8\xff\xd9", "RIFF\x16\x00\x00\x00WEBPVP8X" + strings.Repeat("\x00", 14)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		for _, media := range []string{"image/png", "image/jpeg", "image/gif", "image/webp", "text/plain"} {
			_ = CheckPicture(media, data) // It must not panic.
		}
	})
}
