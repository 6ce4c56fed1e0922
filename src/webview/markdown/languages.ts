import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import csharp from 'highlight.js/lib/languages/csharp';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';

const grammars = { bash, c, csharp, diff, go, java, json, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(grammars)) hljs.registerLanguage(name, language);
// JavaScript uses TypeScript's grammar and C++ uses C's: close enough for color, and a third of the bytes.
hljs.registerAliases(['js', 'javascript', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });
hljs.registerAliases(['cpp', 'c++', 'cc', 'hpp'], { languageName: 'c' });

/** Grammars for code highlighting: large, so they are a separate bundle (highlighting.ts). */
export default hljs;
