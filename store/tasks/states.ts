// The words of a task's state and priority, and its limits.
export const TASK_STATES = ['pending', 'in_progress', 'completed', 'failed'] as const;
export const PRIORITIES = ['high', 'normal', 'low'] as const;

/** The attempt that fails for good. */
export const MAX_ATTEMPTS = 3;
/** Bytes of UTF-8 in an id, so that `<id>.json`, its temp name and `<id>.json.bad-<time>` stay legal file names. */
export const MAX_ID_BYTES = 200;
