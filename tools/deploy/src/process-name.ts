import type registry from '../../../services.json';

type Registry = typeof registry;

/** Name of one of our processes. */
export type ProcessName = { [Service in keyof Registry]: keyof Registry[Service]['processes'] }[keyof Registry];
