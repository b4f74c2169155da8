import { Component, type ReactNode } from 'react';
import { ProblemNotice } from '../conditions/problem-notice';

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
    if (this.state.error === null) return this.props.children;
    return <ProblemNotice error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
