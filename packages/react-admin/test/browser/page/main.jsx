import { createClient } from '@fastify-crud/client'
import { reactAdminAccess, reactAdminLive, reactAdminProvider } from '@fastify-crud/react-admin'
import { Admin, EditGuesser, ListGuesser, Resource } from 'react-admin'
import { createRoot } from 'react-dom/client'
import { BookCreate, BookEdit, BookList } from './books.jsx'
import { PublisherEdit, PublisherList, TagList } from './others.jsx'

// An admin of the bookshop, as its documentation would write it. The address says who one is: `?user=ada`.

const user = new URLSearchParams(location.search).get('user') ?? 'ben'
const api = createClient({ url: '/api', headers: { 'x-user': user } })

const dataProvider = { ...reactAdminProvider(api), ...reactAdminLive(api) }

const authProvider = {
  login: async () => undefined,
  logout: async () => undefined,
  checkAuth: async () => undefined,
  checkError: async () => undefined,
  getIdentity: async () => ({ id: user, fullName: user }),
  canAccess: reactAdminAccess(api),
}

createRoot(document.getElementById('root')).render(
  <Admin dataProvider={dataProvider} authProvider={authProvider} disableTelemetry title="Bookshop">
    <Resource name="book" list={BookList} edit={BookEdit} create={BookCreate} recordRepresentation="title" />
    <Resource name="publisher" list={PublisherList} edit={PublisherEdit} recordRepresentation="name" />
    <Resource name="author" list={ListGuesser} edit={EditGuesser} recordRepresentation="name" />
    <Resource name="tag" list={TagList} recordRepresentation="label" />
  </Admin>,
)
