delete
from "album_artist"
where ("albumId", "artistId") in (select "x"."albumId", "x"."artistId"
  from (select "crud_record"."albumId", "crud_record"."artistId"
    from unnest(array(select jsonb_populate_recordset((select "crud_type"
            from "album_artist" as "crud_type"
            where false), $1::text::jsonb))) as "crud_record") as "x")
-- ["[{\"albumId\":111,\"artistId\":2},{\"albumId\":112,\"artistId\":1}]"]
