import problems from './problems.json';

/** Stable machine code of an error answer. A code never changes its meaning. */
export type ProblemCode = keyof typeof problems;

/** An error answer of the public API, as it is served and documented. */
export interface ProblemKind {
  /** HTTP status. */
  readonly status: number;
  readonly title: string;
  /** Meaning, for the page about the code. Markdown. */
  readonly means: string;
  /** Advice, for the page about the code. Markdown. */
  readonly todo: string;
}

/** The catalogue of error answers: served by the gateway, listed in the docs, typed in the clients. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = problems;
