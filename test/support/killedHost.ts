import { TerminalWorld } from './terminalWorld';

/** Starts commands as a window does, says which variable they carry and where its folder is, and waits to be killed. */
async function begin(): Promise<void> {
  const world = new TerminalWorld();
  await world.run('setsid sleep 1000 & trap "" TERM; sleep 1000', { background: true });
  console.log(`started ${world.variable} ${world.home}`);
  setInterval(() => undefined, 1000);
}

void begin();
