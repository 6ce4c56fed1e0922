/** Guards of the store: what keeps rows when a disk or a process fails. Shape and use: ../guardTable.mjs. */
export const guards = [
  {
    name: 'spill',
    file: 'src/store/spill/spillingStore.ts',
    tests: ['spill', 'spillOnDisk'],
    from: 'if (spill === null) throw cause;',
    to: 'throw cause;',
  },
  {
    name: 'file in its place',
    file: 'src/store/engine/sqlJsDatabase.ts',
    tests: ['spillOnDisk'],
    from: 'if (role === null) return;\n    this.statements.interrupt();',
    to: 'return;',
  },
  {
    name: 'fold before crash settle',
    file: 'src/store/worker/openedStore.ts',
    tests: ['spillOnDisk'],
    from: 'foldFoundSpills(engine.fileSystem, sessions, place.folder, place.spills);',
    to: '[];',
  },
  {
    name: 'compression published whole',
    file: 'src/store/session/sessionDb.ts',
    tests: ['compression', 'test/unit/store/sessionDbCompression'],
    from: 'compressSession: write((input) => operations.compression.publish(input)),',
    to: 'compressSession: (input) => operations.compression.publish(input),',
  },
  {
    name: 'durable name of the log',
    file: 'src/store/engine/fileVfs.ts',
    tests: ['test/unit/store/engine/powerCut'],
    from: "folderSyncDue: role === 'log'",
    to: 'folderSyncDue: false',
  },
];
