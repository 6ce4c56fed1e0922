/** True when a server of this version appends to documents: from 0.5.0. An unreadable version counts as one that
 *  does not, which is slower but never wrong. */
export function appendsFrom(version: string): boolean {
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(version.trim()) ?? [];
  return Number(major) > 0 || Number(minor) >= 5;
}
