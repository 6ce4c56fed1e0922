/** Fonts for Chinese, Japanese, and Korean, which tests and pictures of those languages are drawn with. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

const languages = { zh: 'Chinese', ja: 'Japanese', ko: 'Korean' };
const debianPackage = 'fonts-noto-cjk';

/** Installs what is missing where that is possible without asking anyone. A missing font fails nothing: it only says
 *  so.
 *  @param {(line: string) => void} say where progress goes */
export function ensureFonts(say = console.log) {
  // macOS and Windows bring such fonts.
  if (process.platform !== 'linux' || languagesWithoutFont().length === 0) return;
  if (process.getuid?.() === 0 && fs.existsSync('/usr/bin/apt-get')) {
    say('Installing fonts for Chinese, Japanese, and Korean with apt-get (once) …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [
      ['update', '-q'],
      ['install', '-y', '-q', '--no-install-recommends', debianPackage],
    ])
      spawnSync('apt-get', args, { env, encoding: 'utf8' });
  }
  const missing = languagesWithoutFont();
  if (missing.length > 0)
    say(
      `No font has the characters of ${missing.join(', ')}: boxes are drawn in their place. Install ` +
        `${debianPackage}, or other fonts that have them.`,
    );
}

/** @returns {string[]} */
export function languagesWithoutFont(list = fontsFor) {
  return Object.entries(languages).flatMap(([code, name]) => (list(code).trim() === '' ? [name] : []));
}

/** @param {string} code @returns {string} families of the fonts for a language, one a line; empty without fontconfig */
function fontsFor(code) {
  return spawnSync('fc-list', [`:lang=${code}`, 'family'], { encoding: 'utf8' }).stdout ?? '';
}
