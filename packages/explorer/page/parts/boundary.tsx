import { Component, type ReactNode } from 'react'
import { Nothing } from './states.tsx'

interface BoundaryProps {
  readonly children: ReactNode
}

/** Around what shows answers of the service: one that is not as it should be is said so, and all else stays. */
export class Boundary extends Component<BoundaryProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    if (!this.state.isBroken) return this.props.children
    return (
      <Nothing
        glyph="warn"
        title="This cannot be shown"
        buttons={
          <button type="button" className="button" onClick={() => this.setState({ isBroken: false })}>
            Try again
          </button>
        }
      >
        The service has answered something that this page does not understand. The requests have it.
      </Nothing>
    )
  }
}
