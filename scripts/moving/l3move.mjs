// usage: node l3move.mjs map.txt   (lines: from to; folders or files). Run in the clone with a clean or dirty tree.
import fs from 'node:fs'; import path from 'node:path'; import { execFileSync } from 'node:child_process';
const P = path.posix;
const git = (...a) => execFileSync('git', a, { encoding: 'utf8', maxBuffer: 1 << 28 });
const pairs = fs.readFileSync(process.argv[2], 'utf8').split('\n').map(l => l.replace(/#.*/, '').trim()).filter(Boolean).map(l => l.split(/\s+/))
  .filter(([from]) => fs.existsSync(from)).sort((a, b) => b[0].length - a[0].length);
if (!pairs.length) { console.log('nothing to move'); process.exit(0); }
const list = git('ls-files', '-co', '--exclude-standard').split('\n').filter(f => f && fs.existsSync(f));
const files = new Set(list);
const dirs = new Set(); for (const f of list) for (let d = P.dirname(f); d !== '.'; d = P.dirname(d)) dirs.add(d);
const map = p => { for (const [a, b] of pairs) if (p === a || p.startsWith(a + '/')) return b + p.slice(a.length); return p; };
const exts = ['', '.ts', '.tsx', '.d.ts', '.mts', '.mjs', '.js', '.json'];
function retarget(oldFile, spec) {
  const newFile = map(oldFile);
  const base = P.join(P.dirname(oldFile), spec.replace(/\/$/, ''));
  let target = null, ext = '';
  for (const e of exts) if (files.has(base + e)) { target = base + e; ext = e; break; }
  if (target === null && base.endsWith('.js')) for (const e of ['.ts', '.tsx']) if (files.has(base.slice(0, -3) + e)) { target = base.slice(0, -3) + e; ext = '\0' + e; break; }
  if (target === null && dirs.has(base)) target = base;
  if (target === null) return null;
  const nt = map(target);
  if (nt === target && newFile === oldFile) return null;
  let out = P.relative(P.dirname(newFile), nt) || '.';
  if (ext.startsWith('\0')) out = out.slice(0, -ext.length + 1) + '.js'; else if (ext) out = out.slice(0, -ext.length);
  if (!out.startsWith('.')) out = './' + out;
  if (spec.endsWith('/')) out += '/';
  return out;
}
const esc = s => s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const plain = pairs.map(([a, b]) => [new RegExp(`(?<![\\w./-])${esc(a)}(?![\\w-])`, 'g'), b, a]);
const changed = [];
const isText = f => /\.(ts|tsx|mts|mjs|js|json|md|yml|yaml|css|txt|sh)$/.test(f) || /(^|\/)(\.vscodeignore|\.prettierignore|\.gitignore|Dockerfile)$/.test(f);
const edits = new Map();
for (const f of list) {
  if (!isText(f) || f.startsWith('test/fixtures/') || f.startsWith('l10n/')) continue;
  const text = fs.readFileSync(f, 'utf8');
  let out = text;
  if (/\.(ts|tsx|mts|mjs|js)$/.test(f)) out = out.replace(/(['"`])(\.\.?\/[^'"`\n$?]*)(\?[^'"`\n$]*)?\1/g, (m, q, spec, query = '') => { const r = retarget(f, spec); return r === null ? m : q + r + query + q; });
  if (f.endsWith('.md')) out = out.replace(/\]\(([^)#\s:]+)(#[^)\s]*)?\)/g, (m, spec, anchor = '') => { const r = retarget(f, spec); return r === null ? m : `](${spec.startsWith('./') ? r : r.replace(/^\.\//, '')}${anchor})`; });
  for (const [re, b, a] of plain) out = out.replace(re, (m, off, whole) => b);
  if (out !== text) edits.set(f, out);
}
for (const [a, b] of pairs) {
  if (fs.statSync(a).isDirectory()) for (const f of list.filter(f => f.startsWith(a + '/') && map(f) === b + f.slice(a.length))) mv(f, map(f)); else mv(a, b);
}
function mv(from, to) {
  if (!fs.existsSync(from)) return;
  fs.mkdirSync(P.dirname(to), { recursive: true });
  try { git('mv', from, to); } catch { fs.renameSync(from, to); }
  for (let d = P.dirname(from); fs.existsSync(d) && fs.readdirSync(d).length === 0; d = P.dirname(d)) fs.rmdirSync(d);
}
for (const [f, out] of edits) fs.writeFileSync(map(f), out);
const touched = [...edits.keys()].map(map).filter(f => /\.(ts|tsx|mts|mjs)$/.test(f));
for (let i = 0; i < touched.length; i += 200) execFileSync('npx', ['prettier', '--log-level', 'warn', '--write', '--ignore-unknown', ...touched.slice(i, i + 200)], { stdio: 'inherit' });
console.log(`moved ${list.filter(f => map(f) !== f).length}, edited ${edits.size}`);
// template literals and joined paths that may still name old places
