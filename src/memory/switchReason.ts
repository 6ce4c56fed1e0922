/** The reason why the session of a surface changed. */
export type SwitchReason = 'new_session' | 'reset' | 'resume' | 'branch' | 'rewind' | 'compression';
