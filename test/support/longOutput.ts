import { statSync } from 'node:fs';
import { TerminalWorld } from './terminalWorld';

/** Runs one command as the agent does, in a process of its own, and prints how much memory that took at most beyond what there was before. */
async function measure(command: string): Promise<void> {
  const world = new TerminalWorld();
  await world.run('true');
  const before = process.memoryUsage().rss;
  let most = 0;
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  let file = '';
  let kept = 0;
  const output = await world.call(
    'run_command',
    { command, timeout_seconds: 100 },
    {
      report: (progress) => {
        if (progress.kind === 'output') ({ file, bytes: kept } = progress);
      },
    },
  );
  clearInterval(watching);
  const grownMegabytes = Math.max(0, Math.round((most - before) / 1024 / 1024));
  console.log(
    `result ${JSON.stringify({ outcome: output.outcome, kept, sizeOfFile: statSync(file).size, isShort: output.text.length < 31_000, grownMegabytes })}`,
  );
  await world.dispose();
}

void measure(process.argv[2] ?? 'true');
