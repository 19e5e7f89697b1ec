import {
  BulkDeleteButton,
  BulkUpdateButton,
  Datagrid,
  Edit,
  List,
  ReferenceManyField,
  SimpleForm,
  TextField,
  TextInput,
} from 'react-admin'

export const PublisherList = () => (
  <List>
    <Datagrid>
      <TextField source="name" />
      <TextField source="website" />
    </Datagrid>
  </List>
)

export const PublisherEdit = () => (
  <Edit mutationMode="pessimistic">
    <SimpleForm>
      <TextInput source="name" />
      <ReferenceManyField reference="book" target="publisherId" sort={{ field: 'title', order: 'ASC' }}>
        <Datagrid bulkActionButtons={false}>
          <TextField source="title" />
          <TextField source="price" />
        </Datagrid>
      </ReferenceManyField>
    </SimpleForm>
  </Edit>
)

const bulkActions = (
  <>
    <BulkUpdateButton label="Rename" data={{ label: 'renamed' }} mutationMode="pessimistic" />
    <BulkDeleteButton mutationMode="pessimistic" />
  </>
)

export const TagList = () => (
  <List perPage={50} sort={{ field: 'label', order: 'ASC' }}>
    <Datagrid bulkActionButtons={bulkActions}>
      <TextField source="label" />
    </Datagrid>
  </List>
)
