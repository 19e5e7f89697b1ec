import {
  ArrayInput,
  AutocompleteArrayInput,
  AutocompleteInput,
  BooleanInput,
  Create,
  Datagrid,
  DateField,
  DateInput,
  Edit,
  List,
  NumberInput,
  ReferenceArrayField,
  ReferenceArrayInput,
  ReferenceField,
  ReferenceInput,
  SearchInput,
  SelectInput,
  SimpleForm,
  SimpleFormIterator,
  TextField,
  TextInput,
} from 'react-admin'
import { Live } from './live.jsx'

const filters = [
  <SearchInput key="q" source="q" alwaysOn />,
  <ReferenceInput key="publisher" source="publisherId" reference="publisher" alwaysOn>
    <AutocompleteInput label="Publisher" />
  </ReferenceInput>,
  <TextInput key="title" source="title@icontains" label="Title has" />,
  <TextInput key="house" source="publisher.name@startsWith" label="Publisher begins with" />,
  <DateInput key="since" source="publishedOn@gte" label="Published since" />,
  <ReferenceArrayInput key="tags" source="tagsIds" reference="tag">
    <AutocompleteArrayInput label="Tags" />
  </ReferenceArrayInput>,
]

export const BookList = () => (
  <List filters={filters} perPage={5} sort={{ field: 'title', order: 'ASC' }}>
    <Datagrid>
      <TextField source="title" />
      <ReferenceField source="publisherId" reference="publisher" sortBy="publisher.name" />
      <ReferenceArrayField source="authorsIds" reference="author" label="Authors" sortable={false} />
      <DateField source="publishedOn" />
      <TextField source="price" textAlign="right" />
    </Datagrid>
    <Live topic="resource/book" />
  </List>
)

const formats = ['hardback', 'paperback', 'ebook', 'audiobook'].map((id) => ({ id, name: id }))

const BookForm = () => (
  <SimpleForm>
    <TextInput source="title" />
    <TextInput source="isbn" />
    <SelectInput source="format" choices={formats} />
    <TextInput source="price" />
    <BooleanInput source="inPrint" defaultValue={true} />
    <ReferenceInput source="publisherId" reference="publisher">
      <AutocompleteInput label="Publisher" />
    </ReferenceInput>
    <ReferenceArrayInput source="authorsIds" reference="author">
      <AutocompleteArrayInput label="Authors" />
    </ReferenceArrayInput>
    <ReferenceArrayInput source="tagsIds" reference="tag">
      <AutocompleteArrayInput label="Tags" />
    </ReferenceArrayInput>
    <TextInput source="cover.image" label="Cover" />
    <ArrayInput source="chapters">
      <SimpleFormIterator inline>
        <NumberInput source="number" helperText={false} />
        <TextInput source="title" helperText={false} />
      </SimpleFormIterator>
    </ArrayInput>
  </SimpleForm>
)

export const BookEdit = () => (
  <Edit mutationMode="pessimistic">
    <BookForm />
  </Edit>
)

export const BookCreate = () => (
  <Create>
    <BookForm />
  </Create>
)
