package static

import (
	"maps"
	"slices"
)

// Names returns the names of all assets.
func Names() []string {
	files, _ := loadAssets()
	return append(slices.Sorted(maps.Keys(files)), slices.Sorted(maps.Keys(bundles))...)
}
