/** The desktop VS Code that HERMES_DESKTOP names, as test-electron names it. */
export function desktopVersion(wanted: string | undefined): string;
