package static

import (
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// bundles lists the files that are made of others, minified: a page that is opened often
// loads one style sheet and one script. A script brings the modules that it imports.
var bundles = map[string][]string{
	"label.bundle.css": {"base.css", "components.css", "label.css", "item.css", "guide.css"},
	"label.bundle.mjs": {"label.mjs"},
}

// bundle returns a bundle of the embedded files. They are tested, so it cannot fail.
func bundle(name string) []byte {
	if path.Ext(name) == ".css" {
		return bundleStyles(bundles[name])
	}
	return bundleModules(bundles[name])
}

func bundleStyles(names []string) []byte {
	var source strings.Builder
	for _, name := range names {
		content, _ := assets.ReadFile(name) // a test bundles every name
		source.Write(content)
	}
	result := api.Transform(source.String(), api.TransformOptions{Loader: api.LoaderCSS, MinifyWhitespace: true})
	mustSucceed(result.Errors)
	return result.Code
}

func bundleModules(names []string) []byte {
	result := api.Build(api.BuildOptions{
		EntryPoints: names, Bundle: true, Format: api.FormatESModule, Target: api.ES2022,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		Plugins: []api.Plugin{{Name: "embedded files", Setup: readEmbedded}},
	})
	mustSucceed(result.Errors)
	return result.OutputFiles[0].Contents
}

// readEmbedded lets modules import each other as "./name.mjs".
func readEmbedded(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
		if args.Kind == api.ResolveJSDynamicImport { // loaded when it is used
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		}
		return api.OnResolveResult{Path: path.Clean(args.Path), Namespace: "embedded"}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "embedded"}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		content, err := assets.ReadFile(args.Path)
		text := string(content)
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderJS}, err
	})
}

func mustSucceed(messages []api.Message) {
	if len(messages) > 0 {
		panic("bundle of embedded files: " + messages[0].Text)
	}
}
