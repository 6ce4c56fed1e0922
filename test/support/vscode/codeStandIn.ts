import fs from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import { browserOrigin } from './browser';
import { VscodeSession } from './vscodeSession';
import { Workbench } from './workbench';

/** How long a suite may take before it counts as hung: a hung suite never says that it is over. */
const SUITE_LIMIT_MS = 30 * 60_000;

interface SuiteArguments {
  extensionDevelopmentPath: string;
  extensionTestsPath: string;
  extensionsDir: string | undefined;
  folder: string | undefined;
}

/**
 * What `code --extensionDevelopmentPath= --extensionTestsPath= [--extensions-dir=] [folder]` does, on a VS Code server: runs the suite in
 * its extension host, prints what it prints, and gives its exit code. With it `@vscode/test-electron` needs no desktop build.
 */
export async function runSuite(argv: readonly string[], print: (line: string) => void): Promise<number> {
  const suite = parseArguments(argv);
  // A folder that is kept: what extensions stored is there at the next start, as with a data folder of a person's own.
  const root = process.env['HERMES_SESSION_FOLDER'];
  await using session = await VscodeSession.start({
    testDriver: true,
    extensions: helperExtensions(suite.extensionsDir),
    ...(root !== undefined && { root }),
  });
  const page = await session.browser.context.newPage();
  const finished = new Promise<number>((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`The suite did not end within ${SUITE_LIMIT_MS / 1000} s`)),
      SUITE_LIMIT_MS,
    );
    // A window that runs a suite calls these two. What the suite prints comes as info (and so do a few lines of the window).
    const exposed = [
      page.exposeFunction(
        'codeAutomationLog',
        (type: string, args: unknown[]) => type === 'info' && print(format(...args)),
      ),
      page.exposeFunction('codeAutomationExit', (code: number) => {
        clearTimeout(limit);
        resolve(code);
      }),
    ];
    Promise.all(exposed)
      .then(() => open(page, suite))
      .catch(reject);
  });
  // Awaited here: the session ends with this scope.
  return await finished;
}

async function open(page: Workbench['page'], suite: SuiteArguments): Promise<void> {
  const remote = `vscode-remote://${new URL(browserOrigin).host}`;
  const payload = [
    ['extensionDevelopmentPath', remote + suite.extensionDevelopmentPath],
    ['extensionTestsPath', remote + suite.extensionTestsPath],
    ['skipWelcome', 'true'],
  ];
  await new Workbench(page, browserOrigin).open(suite.folder, { payload: JSON.stringify(payload) });
}

function parseArguments(argv: readonly string[]): SuiteArguments {
  const value = (name: string) => argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  const extensionDevelopmentPath = value('extensionDevelopmentPath');
  const extensionTestsPath = value('extensionTestsPath');
  if (!extensionDevelopmentPath || !extensionTestsPath)
    throw new Error('Only --extensionDevelopmentPath= with --extensionTestsPath= is understood');
  return {
    extensionDevelopmentPath: path.resolve(extensionDevelopmentPath),
    extensionTestsPath: path.resolve(extensionTestsPath),
    extensionsDir: value('extensions-dir'),
    folder: argv.find((argument) => !argument.startsWith('-')),
  };
}

/** The unpacked extensions in a folder; they are copied, so that the folder itself stays as it is. */
function helperExtensions(folder: string | undefined): string[] {
  if (folder === undefined || !fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .map((name) => path.join(folder, name))
    .filter((extension) => fs.existsSync(path.join(extension, 'package.json')));
}
