package static

import (
	"maps"
	"slices"
)

// Names returns the names of all assets.
func Names() []string {
	files, _ := loadAssets()
	return slices.Sorted(maps.Keys(files))
}
