import { useEffect } from 'react'
import { useDataProvider, useRefresh } from 'react-admin'

/** Reads what a page shows again when others have written it. */
export const Live = ({ topic }) => {
  const dataProvider = useDataProvider()
  const refresh = useRefresh()
  useEffect(() => {
    const listener = () => refresh()
    dataProvider.subscribe(topic, listener)
    return () => dataProvider.unsubscribe(topic, listener)
  }, [dataProvider, refresh, topic])
  return null
}
