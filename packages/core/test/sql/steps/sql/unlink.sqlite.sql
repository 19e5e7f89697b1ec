delete
from "album_artist"
where ("albumId", "artistId") in (select "x"."albumId", "x"."artistId"
  from (select value as "crud_row", value ->> 0 as "albumId", value ->> 1 as "artistId"
    from json_each(?)) as "x")
-- ["[[111,2],[112,1]]"]
