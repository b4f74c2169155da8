import problems from './problems.json';

/** Codes never change their meaning. */
export type ProblemCode = keyof typeof problems;

export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  /** For the code's documentation page. Markdown. */
  readonly means: string;
  /** For the code's documentation page. Markdown. */
  readonly todo: string;
}

/** Served by the gateway, listed in the docs, typed in the clients. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = problems;
