import { Component, type ReactNode } from 'react';
import { ProblemNotice } from '../conditions/problem-notice';

/** A file of the page did not come. None is asked for twice until the document is loaded anew, which finds those of a newer release too. */
export class PageNotLoaded extends Error {
  constructor(cause: unknown) {
    super('A part of this page could not be loaded.', { cause });
  }
}

interface Props {
  readonly children: ReactNode;
}

/** Shows what a page throws in its place; the rest of the shell goes on. */
export class PageFailure extends Component<Props, { readonly error: unknown }> {
  override readonly state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const retry = error instanceof PageNotLoaded ? () => location.reload() : () => this.setState({ error: null });
    return <ProblemNotice error={error} retry={retry} />;
  }
}
