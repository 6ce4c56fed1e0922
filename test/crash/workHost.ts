import { appendFileSync, writeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import { type HookAnswer, noAnswer, type TurnHooks } from '../../src/agent/turnHooks';
import { systemClock as clock } from '../../src/base/clock';
import { runHookProgram } from '../../src/features/agentFiles/core/hookProcess';
import { type AnyTool, defineTool, type ToolCallContext } from '../../src/tools/tool';
import { crashGateway, openedStore } from './crashGateway';
import type { CrashHostOrder } from './crashRecord';

/** Where the work stops until the process is killed: in the program of a hook, after its answer and before the call, or
 *  while the call asks the user. none: nowhere; whatever waits is allowed, and the session continues. */
export type WorkPoint = 'hook' | 'answer' | 'input' | 'none';

export interface WorkHostOrder extends CrashHostOrder {
  readonly point: WorkPoint;
  /** File to which each hook and each call appends a line when it begins. */
  readonly marks: string;
}

/** The product's process without an editor, with a hook that is a real program and a tool that leaves a mark. */
async function main(order: WorkHostOrder): Promise<void> {
  const connection = await openedStore(order);
  const gateway = crashGateway(connection, order, globalThis.fetch, { tools: [acting(order)], hooks: hooksOf(order) });
  const record = openSync(order.record, 'a');
  let settled = 0;
  gateway.surfaces.attach({
    id: 'panel',
    onTurnEvent: (_sessionId, event) => {
      // Handed to the kernel in one call: what was shown is known even when the next instruction never comes.
      if (event.kind === 'delivered') for (const { text } of event.chunks) writeSync(record, text);
      if (event.kind === 'turnSettled') settled++;
      if (event.kind === 'approvalRequested') appendFileSync(order.marks, 'asked\n');
    },
    onSessionEvent: () => undefined,
    onSessionSwitched: () => undefined,
  });
  if (order.sessionId !== null) {
    await gateway.switching.switchSession('panel', { reason: 'resume', sessionId: order.sessionId });
    const pending = await gateway.approvals.pending(order.sessionId);
    if (pending !== null) await gateway.approvals.decide(pending.id, { kind: 'allow', scope: 'once', answer: {} });
    while (gateway.turns.running().length > 0) await sleep(2);
    settled = 0;
  }
  const sent = { sessionId: order.sessionId, uid: order.name, text: `Prompt ${order.name}` };
  const { sessionId } = await gateway.intake.submit('panel', sent);
  process.stdout.write(`session ${sessionId}\n`);
  while (settled === 0) await sleep(2);
  await gateway.shutdown();
  await connection.close();
}

function acting({ point, marks }: WorkHostOrder): AnyTool {
  return defineTool({
    name: 'act',
    description: 'Acts',
    schema: v.object({}),
    readOnly: false,
    asks: async () => {
      if (point === 'answer') {
        appendFileSync(marks, 'judged\n');
        await sleep(60_000);
      }
      return null;
    },
    run: async (_input, signal, { ask }: ToolCallContext) => {
      appendFileSync(marks, 'ran\n');
      if (point === 'input')
        await ask({ kind: 'input', server: 's', asked: { kind: 'form', fields: [] } }, 'Which city?', signal);
      return { outcome: 'done', text: 'It acted.' };
    },
  });
}

/** A real program at `PreToolUse`. */
function hooksOf({ point, marks, project }: WorkHostOrder): TurnHooks {
  const command = `echo hook >> '${marks}'${point === 'hook' ? '; sleep 10' : ''}`;
  return {
    run: async ({ name }, signal): Promise<HookAnswer> => {
      if (name !== 'PreToolUse') return noAnswer;
      const { exitCode } = await runHookProgram({
        invocation: { program: '/bin/sh', args: ['-c', command], verbatim: false },
        folder: project,
        environment: { PATH: process.env['PATH'] ?? '' },
        input: '{}',
        timeoutMs: 60_000,
        clock,
        signal,
      });
      return { ...noAnswer, decision: exitCode === 0 ? 'none' : 'deny' };
    },
  };
}

main(JSON.parse(process.argv[2] ?? '{}')).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
