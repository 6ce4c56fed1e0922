/** Font that the bundler copies beside the scripts: its path, relative to the script that imports it. */
declare module '*.woff2' {
  const path: string;
  export default path;
}

/** Style sheet of a package, as text: `scripts/build.mjs`. */
declare module '*.min.css' {
  const text: string;
  export default text;
}

/** Style sheets are bundled next to the script that imports them. */
declare module '*.css';
