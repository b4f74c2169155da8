import problems from './problems.json';

/** Stable machine code of an error answer. Codes never change their meaning. */
export type ProblemCode = keyof typeof problems;

/** An error answer of the public API. */
export interface ProblemKind {
  /** HTTP status. */
  readonly status: number;
  readonly title: string;
  /** Meaning, for the code's documentation page. Markdown. */
  readonly means: string;
  /** Advice, for the code's documentation page. Markdown. */
  readonly todo: string;
}

/** Catalogue of error answers: served by the gateway, listed in the docs, typed in the clients. */
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = problems;
