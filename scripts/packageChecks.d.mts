import type { Component } from './notices.mjs';

/** One sentence per problem of a package; none if it may be published. */
export function packageProblems(
  file: string,
  expectation: { readonly root: string; readonly components: readonly Component[] },
): string[];
/** Fields of the manifest that are missing or wrong. */
export function manifestProblems(
  manifest: Readonly<Record<string, unknown>>,
  isShipped: (name: string) => boolean,
): string[];
/** Pictures and links of a page that lead nowhere when a marketplace shows it. */
export function linkProblems(name: string, text: string, root: string, version: string): string[];
/** Says so if the change log has no heading for the version. */
export function changelogProblems(text: string, version: string): string[];
/** Licenses that are missing in the notices, and those of packages that are not shipped. */
export function noticeProblems(text: string, components: readonly Component[]): string[];
/** Programs that are larger than their budget. `sizeOf`: bytes by path in the package. */
export function sizeProblems(sizeOf: (name: string) => number): string[];
