import type { Component } from './notices.mjs';

/** Licenses of what is bundled, by its name in dist/ and in the package. */
export const notices: string;
/** How files that are no scripts get into a webview. */
export const webviewLoaders: Readonly<Record<string, 'file' | 'text'>>;
/** Bundles the extension into `outdir`, with the notices of the packages in it; answers these packages. */
export function build(options?: {
  readonly production?: boolean;
  readonly watch?: boolean;
  readonly outdir?: string;
  readonly say?: (line: string) => void;
}): Promise<Component[]>;
