package account

import (
	"context"
	"slices"

	"github.com/labelwright/labelwright/internal/fault"
)

// A Theme is the colors of the screens of a user.
type Theme string

// The themes.
const (
	AutoTheme  Theme = "auto" // that of the device
	LightTheme Theme = "light"
	DarkTheme  Theme = "dark"
)

// Themes lists every theme, for forms.
var Themes = []Theme{AutoTheme, LightTheme, DarkTheme}

// A TextSize is the size of all text on the screens of a user.
type TextSize string

// The text sizes.
const (
	NormalText  TextSize = "normal"
	LargeText   TextSize = "large"
	LargestText TextSize = "largest"
)

// TextSizes lists every text size, for forms.
var TextSizes = []TextSize{NormalText, LargeText, LargestText}

// Settings are what a user chose for their own screens.
type Settings struct {
	Theme             Theme    `json:"theme"`
	TextSize          TextSize `json:"text_size"`
	ReducesMotion     bool     `json:"reduces_motion"`     // also where the device does not ask for it
	Language          string   `json:"language"`           // a BCP 47 tag; empty: that of the browser
	AutoAdvances      bool     `json:"auto_advances"`      // an answer moves on to the next unanswered field
	ShortcutsDisabled bool     `json:"shortcuts_disabled"` // single keys do nothing
	Keys              Keys     `json:"keys"`
}

// DefaultSettings returns the settings of a user who chose none.
func DefaultSettings() Settings {
	return Settings{Theme: AutoTheme, TextSize: NormalText, AutoAdvances: true}
}

// Languages are the languages that a user can choose; "" is that of the browser.
var Languages = []string{"", "en", "de"}

// Check returns what is wrong with s, as a fault.Error with the fields of the form.
func (s Settings) Check() error {
	var problems []fault.FieldProblem
	if !slices.Contains(Themes, s.Theme) {
		problems = append(problems, fault.FieldErrorf("theme", "Choose one of the listed themes."))
	}
	if !slices.Contains(TextSizes, s.TextSize) {
		problems = append(problems, fault.FieldErrorf("text_size", "Choose one of the listed text sizes."))
	}
	if !slices.Contains(Languages, s.Language) {
		problems = append(problems, fault.FieldErrorf("language", "Choose one of the listed languages."))
	}
	problems = append(problems, s.Keys.problems()...)
	if problems == nil {
		return nil
	}
	return &fault.Error{Kind: fault.Invalid, Message: problems[0].Message, Format: problems[0].Format,
		Args: problems[0].Args, Fields: problems}
}

type settingsKey struct{}

// WithSettings returns a context with the settings of the user who is signed in.
func WithSettings(ctx context.Context, s Settings) context.Context {
	return context.WithValue(ctx, settingsKey{}, s)
}

// SettingsFrom returns the settings of the user who is signed in, or the defaults.
func SettingsFrom(ctx context.Context) Settings {
	if s, ok := ctx.Value(settingsKey{}).(Settings); ok {
		return s
	}
	return DefaultSettings()
}
