import type { OpenReport } from '../../../../src/store/worker/openedStore';

/** In a file of its own: the pictures of the views are bundled with it, for a browser. */
export const emptyReport: OpenReport = {
  path: '/store/state.db',
  created: false,
  recoveredTurns: [],
  quarantined: null,
  salvaged: [],
  putBack: null,
  replaced: [],
  broughtBack: [],
  spills: [],
  readOnly: null,
};
