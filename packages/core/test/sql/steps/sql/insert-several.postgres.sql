insert into "album" ("title", "shelf", "facts", "labelId", "openerId") select "x"."title", "x"."shelf", "x"."facts", "x"."labelId", "x"."openerId"
from (select "crud_record"."title", "crud_record"."shelf", "crud_record"."facts", "crud_record"."labelId", "crud_record"."openerId"
  from jsonb_populate_recordset((select "crud_type"
      from "album" as "crud_type"
      where false), $1::text::jsonb) as "crud_record") as "x"
-- ["[{\"title\":\"New\",\"shelf\":null,\"facts\":{\"of\":\"New\"},\"labelId\":2,\"openerId\":null},{\"title\":\"Newer\",\"shelf\":null,\"facts\":{\"of\":\"Newer\"},\"labelId\":2,\"openerId\":null}]"]
