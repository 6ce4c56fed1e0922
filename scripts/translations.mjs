/**
 * The translations in l10n/ and beside package.json. How translators use this: CONTRIBUTING.md.
 *
 *   npm run translations                      what each language lacks
 *   npm run translations -- de                what German lacks, as JSON to fill in
 *   npm run translations -- de filled.json    takes a filled-in file over
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** The languages of the product, as VS Code names them (`vscode.env.language`, in file names too). */
export const languages = ['de', 'es', 'fr', 'it', 'ja', 'ko', 'pl', 'pt-br', 'ru', 'tr', 'zh-cn', 'zh-tw'];

/** Languages with three forms after numbers, which write `{count|one|few|many}`. */
const threeForms = ['pl', 'ru'];

/** Texts that may be the same in other languages: no letters but in placeholders, code, links, names and units. */
const names =
  /\b(?:Hermes|VS Code|OpenAI|Azure OpenAI|Azure|Anthropic messages|Anthropic|OpenRouter|Ollama|Hindsight|Claude Code|Codex|Docker|MCP|Git|Demo|JSON|Markdown|API|URL|SQL|tok|tokens?|KB|MB|min|ms|OK|Ctrl|Alt|Shift|Enter)\b/g;

/** @returns {Record<string, string>} */
function read(file) {
  const full = path.join(root, file);
  return fs.existsSync(full) ? JSON.parse(fs.readFileSync(full, 'utf8')) : {};
}

const fileOf = {
  /** @param {string} [language] */
  code: (language) => `l10n/bundle.l10n.${language === undefined ? '' : `${language}.`}json`,
  /** @param {string} [language] */
  manifest: (language) => `package.nls.${language === undefined ? '' : `${language}.`}json`,
};

/** @returns {import('./translations.mjs').Texts} the texts of a language; without one, the English ones */
export function textsOf(language) {
  return { code: read(fileOf.code(language)), manifest: read(fileOf.manifest(language)) };
}

/** @returns {import('./translations.mjs').Texts} the English texts without a translation, by what they are found
 *  under */
export function missingTexts(language) {
  const [english, translated] = [textsOf(), textsOf(language)];
  const lacking = (of) => Object.fromEntries(Object.entries(english[of]).filter(([key]) => !(key in translated[of])));
  return { code: lacking('code'), manifest: lacking('manifest') };
}

/** @returns {string[]} translations of texts that no longer exist */
export function staleTexts(language) {
  const [english, translated] = [textsOf(), textsOf(language)];
  return ['code', 'manifest'].flatMap((of) => Object.keys(translated[of]).filter((key) => !(key in english[of])));
}

/** Marks that a translation must have as often as the English text. */
const marks = ['\n', '`', '](', '**', '${'];

/** @returns {string[]} what is wrong with a translation; empty: nothing */
export function problemsOf(language, english, translation) {
  const problems = [];
  const withForms = [...translation.matchAll(/\{(\w+)\|([^{}]*)\}/g)];
  const holes = (text) => [...new Set([...text.matchAll(/\{(\w+)(?:\|[^{}]*)?\}/g)].map(([, name]) => name))].sort();
  if (translation.trim() === '') problems.push('is empty');
  if (holes(english).join() !== holes(translation).join()) problems.push('has other placeholders');
  for (const [whole, , forms] of withForms) {
    if (!threeForms.includes(language)) problems.push(`has plural forms, which this language does not use: ${whole}`);
    else if (forms.split('|').length !== 3) problems.push(`needs exactly three forms: ${whole}`);
  }
  for (const mark of marks)
    if (english.split(mark).length !== translation.split(mark).length)
      problems.push(`has another number of ${JSON.stringify(mark)}`);
  for (const [link] of english.matchAll(
    /\]\([^)]*\)|\b(?:hermes|command):[\w.]+|(?<![\w{])hermes\.[\w.]+\w|https?:\/\/[^\s)]*[^\s).,]/g,
  ))
    if (!translation.includes(link)) problems.push(`lacks ${link}`);
  problems.push(...quoteProblems(language, english, translation), ...termProblems(language, english, translation));
  if (translation === english && !mayBeTheSame(language, english)) problems.push('is the English text');
  return problems;
}

/** The quotation marks of each language, in place of the English “…”. */
const quotes = {
  de: '„“',
  es: '«»“”',
  fr: '«»',
  it: '«»“”',
  ja: '「」',
  ko: '“”',
  pl: '„”',
  'pt-br': '“”',
  ru: '«»',
  tr: '“”',
  'zh-cn': '“”',
  'zh-tw': '「」',
};

function quoteProblems(language, english, translation) {
  if (!english.includes('“')) return [];
  const own = quotes[language];
  const used = [...new Set(translation.match(/[“”„«»「」『』]/g) ?? [])];
  if (used.length === 0) return ['lacks quotation marks'];
  const foreign = used.filter((mark) => !own.includes(mark));
  return foreign.length === 0 ? [] : [`has quotation marks of another language: ${foreign.join(' ')}`];
}

/** What each language calls the things that the product is about, as stems. */
const terms = {
  prompt: {
    english: /\bprompts?\b/i,
    de: /prompt/i,
    es: /indicaci/i,
    fr: /invite/i,
    it: /prompt/i,
    ja: /プロンプト/,
    ko: /프롬프트/,
    pl: /promp[tc]/i,
    'pt-br': /prompt/i,
    ru: /запрос/i,
    tr: /[iİ]stem/,
    'zh-cn': /提示/,
    'zh-tw': /提示/,
  },
  turn: {
    english: /\bturns?\b(?! (?:that )?(?:on|off|it)\b)/i,
    de: /runde/i,
    es: /turno/i,
    fr: /tour/i,
    it: /turn[oi]/i,
    ja: /ターン/,
    ko: /턴/,
    pl: /\btur/i,
    'pt-br': /turno/i,
    ru: /ход/i,
    tr: /\btur/i,
    'zh-cn': /轮/,
    'zh-tw': /回合/,
  },
  session: {
    english: /\bsessions?\b/i,
    de: /sitzung/i,
    es: /sesi[oó]n/i,
    fr: /session/i,
    it: /session[ei]/i,
    ja: /セッション/,
    ko: /세션/,
    pl: /sesj/i,
    'pt-br': /sess[ãõ]/i,
    ru: /сеанс/i,
    tr: /oturum/i,
    'zh-cn': /会话/,
    'zh-tw': /工作階段/,
  },
  revert: {
    english: /\brevert/i,
    de: /zurück(?:ge|zu)?setz|setz.*zurück/i,
    es: /rever(?:t|s)|revirt/i,
    fr: /restau/i,
    it: /ripristin/i,
    ja: /差し戻/,
    ko: /되돌/,
    pl: /wycof/i,
    'pt-br': /rever[ts]/i,
    ru: /отка[тч]/i,
    tr: /geri dön/i,
    'zh-cn': /还原/,
    'zh-tw': /還原/,
  },
  sandbox: {
    english: /\bsandbox(?:ed)?\b/i,
    de: /sandbox/i,
    es: /sandbox|aislad/i,
    fr: /bac à sable/i,
    it: /sandbox/i,
    ja: /サンドボックス/,
    ko: /샌드박스/,
    pl: /piaskown/i,
    'pt-br': /sandbox|área restrita/i,
    ru: /песочниц/i,
    tr: /korumalı alan/i,
    'zh-cn': /沙盒/,
    'zh-tw': /沙箱/,
  },
};

function termProblems(language, english, translation) {
  // Code, keys, files and what is filled in keep their names.
  const words = english.replace(/`[^`]*`|\{\w+\}|\]\([^)]*\)|[\w/]+(?:\.\w+)+|\w+Enabled, .*/g, ' ');
  const problems = Object.entries(terms)
    .filter(([, term]) => term.english.test(words) && !term[language].test(translation))
    .map(([name]) => `has another word for “${name}”`);
  // Revert is about files. Undo takes back the step before, and Cancel ends what has not happened yet.
  const isOther = /\b(?:cancel|undo)/i.test(words) && !/revert|restor|back/i.test(words);
  return isOther && terms.revert[language].test(translation) ? [...problems, 'has the word for “revert”'] : problems;
}

/** Words that a language shares with English. */
const shared = Object.fromEntries(
  Object.entries({
    de: 'chat code details diff editor hook hooks in name optional plan skills state terminal todos tool tools',
    es: 'chat editor hook hooks plan terminal tokens',
    fr:
      'actions agents branches code conversation diff effort hook hooks image mentions message messages minutes mode ' +
      'modes plan session sessions suggestion suggestions terminal',
    it: 'chat complete diff editor file formula hook in output skill streaming',
    pl: 'folder hook model plan symbol terminal',
    'pt-br': 'chat diff editor git hook hooks status terminal tokens',
    tr: 'model no plan terminal',
  }).map(([language, words]) => [language, words.split(' ')]),
);

function mayBeTheSame(language, english) {
  const words = english
    .replace(/\{\w+\}|`[^`]*`|https?:\S+|\bhermes\.[\w.]+/g, ' ')
    .replace(names, ' ')
    .match(/\p{L}{2,}/gu);
  return (words ?? []).every((word) => (shared[language] ?? []).includes(word.toLowerCase()));
}

/** Takes translations over, leaves out stale ones, and writes both files in the order of the English ones. */
export function merge(language, filled) {
  const english = textsOf();
  const translated = textsOf(language);
  for (const of of ['code', 'manifest']) {
    const all = { ...translated[of], ...filled[of] };
    const kept = Object.keys(english[of]).filter((key) => typeof all[key] === 'string' && all[key].trim() !== '');
    const text = JSON.stringify(Object.fromEntries(kept.map((key) => [key, all[key]])), null, 2);
    fs.writeFileSync(path.join(root, fileOf[of](language)), `${text}\n`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [language, filled] = process.argv.slice(2);
  if (language !== undefined && !languages.includes(language)) {
    console.error(`${language} is none of ${languages.join(', ')}`);
    process.exit(1);
  }
  if (filled !== undefined) merge(language, JSON.parse(fs.readFileSync(filled, 'utf8')));
  if (language !== undefined && filled === undefined) console.log(JSON.stringify(missingTexts(language), null, 2));
  else
    for (const each of language === undefined ? languages : [language]) {
      const { code, manifest } = missingTexts(each);
      const lacking = Object.keys(code).length + Object.keys(manifest).length;
      console.log(`${each}: ${lacking} texts missing, ${staleTexts(each).length} stale`);
    }
}
