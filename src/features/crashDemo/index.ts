import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { registerCommands } from '../../host/common/commands';
import { describeError } from '../../host/common/describeError';
import { chatSurfaceId } from '../../host/chat/activeChat';
import type { WindowContext } from '../../host/window/windowContext';
import { CrashDemo, CrashDemoRecord } from './crashDemo';

/** Pull the Plug: ends the extension host in the middle of an answer. */
export function register(window: WindowContext): void {
  const { own, gateway, history, files, chat, reports, ids, clock, log } = window;
  const record = new CrashDemoRecord(
    () => join(history.folder, 'pulled-plug.json'),
    () => clock.now(),
  );
  own(window.crashDemo.fill(record));
  const demo = own(
    new CrashDemo({
      gateway,
      surfaceId: chatSurfaceId,
      folder: () => files.roots()[0]?.path ?? null,
      ids,
      clock,
      showChat: () => chat.show(),
      focusChat: () =>
        void chat
          .focus()
          .catch((error: unknown) =>
            log.warn(`The panel could not be given the focus: ${describeError(error).sentence}`),
          ),
      sessions: history.store,
      storeState: () => history.status.shown.kind,
      reports,
      record,
      t,
      confirm: async (question, detail, yes) =>
        (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes,
      kill: () => void process.kill(process.pid, 'SIGKILL'),
    }),
  );
  own(registerCommands({ pullThePlug: () => demo.run() }, log));
}
