import { win32 } from 'node:path';

/** Names that open a device in every folder, with any extension (“Naming Files, Paths, and Namespaces”, Win32
 *  documentation). */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:[.: ]|$)/i;

/** Returns why Windows would open something else at this path than it says, or null. Checked before anything looks at
 *  the path: looking at a network place already sends the user's name and password hash to that machine. `roots`:
 *  open folders, absolute. */
export function windowsPathProblem(written: string, roots: readonly string[]): string | null {
  const text = written.replaceAll('/', '\\');
  if (/^\\\\[.?]\\/.test(text)) return `${written} is the address of a device. Give an ordinary path.`;
  if (text.startsWith('\\\\') && !roots.some((root) => isBelow(root, text)))
    return `${written} is on another machine. Only open folders can be there: ask the person to open it as a folder.`;
  const [drive] = /^[a-z]:/i.exec(text) ?? [''];
  const names = text.slice(drive.length).split('\\');
  for (const name of names) {
    if (name.includes(':'))
      return `${written} has a colon in a name, which means a hidden stream of a file on Windows.`;
    if (/[. ]$/.test(name) && name !== '.' && name !== '..')
      return `“${name}” in ${written} ends with a dot or a space, which Windows leaves out. Give the name without it.`;
    if (device.test(name)) return `“${name}” in ${written} is the name of a device on Windows. Choose another name.`;
  }
  // "C:name" is relative to that drive's own current folder.
  return drive !== '' && !/^[a-z]:\\/i.test(text)
    ? `${written} names a drive without a folder. Give the whole path, as in ${drive}\\folder\\file.`
    : null;
}

function isBelow(root: string, path: string): boolean {
  const relative = win32.relative(root, path);
  return root.startsWith('\\\\') && !relative.startsWith('..') && !win32.isAbsolute(relative);
}
