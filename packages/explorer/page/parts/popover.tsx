import { Dialog as Dialogs } from '@base-ui/react/dialog'
import { Menu } from '@base-ui/react/menu'
import { Popover as Popovers } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

interface PopoverProps {
  readonly trigger: ReactElement
  readonly children: ReactNode
  readonly label: string
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  readonly onHover?: boolean
}

export const Popover = ({ trigger, children, label, open, onOpenChange, onHover = false }: PopoverProps) => (
  <Popovers.Root {...(open !== undefined && { open })} {...(onOpenChange && { onOpenChange })}>
    <Popovers.Trigger render={trigger} nativeButton={trigger.type === 'button'} openOnHover={onHover} delay={350} />
    <Popovers.Portal>
      <Popovers.Positioner className="layer" sideOffset={6} align="start" collisionPadding={10}>
        <Popovers.Popup className="popup" aria-label={label} {...(onHover && { initialFocus: false })}>
          {children}
        </Popovers.Popup>
      </Popovers.Positioner>
    </Popovers.Portal>
  </Popovers.Root>
)

interface DropdownProps {
  readonly trigger: ReactElement
  readonly children: ReactNode
}

/** A menu; its entries are `Choice`. */
export const Dropdown = ({ trigger, children }: DropdownProps) => (
  <Menu.Root>
    <Menu.Trigger render={trigger} />
    <Menu.Portal>
      <Menu.Positioner className="layer" sideOffset={6} align="end" collisionPadding={10}>
        <Menu.Popup className="popup">{children}</Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  </Menu.Root>
)

interface ChoiceProps {
  readonly children: ReactNode
  readonly onClick: () => void
  readonly disabled?: boolean
}

export const Choice = ({ children, onClick, disabled = false }: ChoiceProps) => (
  <Menu.Item className="choice" onClick={onClick} disabled={disabled}>
    {children}
  </Menu.Item>
)

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
  readonly wide?: boolean
  readonly className?: string
  readonly hideTitle?: boolean
}

/** A dialog for as long as it is rendered. */
export const Dialog = ({ title, onClose, children, wide = false, className, hideTitle = false }: DialogProps) => (
  <Dialogs.Root open onOpenChange={(open) => open || onClose()}>
    <Dialogs.Portal>
      <Dialogs.Backdrop className="backdrop" />
      <Dialogs.Popup className={className ?? `dialog${wide ? ' wide' : ''}`}>
        <Dialogs.Title className={hideTitle ? 'hidden-text' : undefined}>{title}</Dialogs.Title>
        {children}
      </Dialogs.Popup>
    </Dialogs.Portal>
  </Dialogs.Root>
)
