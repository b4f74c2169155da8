/** Handlers as they are written: what they use first, then what a call brings. */
type Handler<Deps> = (deps: Deps, ...args: never[]) => unknown;

/** The same handlers without what they use. */
type Given<H> = {
  readonly [K in keyof H]: H[K] extends (deps: never, ...args: infer Args) => infer Answer ? (...args: Args) => Answer : never;
};

/** Gives handlers of the form `(deps, request, context)` what they use, for `bindService`. */
export function withDeps<Deps, H extends Readonly<Record<string, Handler<Deps>>>>(deps: Deps, handlers: H): Given<H> {
  const given = Object.entries(handlers).map(([name, handler]) => [name, (...args: never[]) => handler(deps, ...args)]);
  return Object.fromEntries(given) as Given<H>;
}
